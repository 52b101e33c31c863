/** What the API reference says of addresses that are no procedures: apps, logos, health. They need no token. */
import { headersOf } from "./refusals.ts";

const PUBLIC = [{}];

const reply = (description: string, content_type?: string, schema: Record<string, unknown> = { type: "string" }) => ({
  description,
  headers: headersOf("X-Request-Id"),
  ...(content_type && { content: { [content_type]: { schema } } }),
});

const unchanged = reply("Unchanged since the `ETag` in `If-None-Match`");
const refused = (description: string) => ({
  ...reply(description, "application/json", { $ref: "#/components/schemas/Error" }),
});
const inPath = (name: string, example: string, description: string) => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string" },
  example,
});

const health = (...parts: string[]) => ({
  type: "object",
  properties: {
    status: { enum: ["ok", "unavailable"] },
    ...Object.fromEntries(parts.map((part) => [part, { type: "boolean" }])),
  },
  required: ["status", ...parts],
});

export const FILE_PATHS = {
  "/a/{url_code}": {
    get: {
      operationId: "open_app",
      tags: ["files"],
      summary: "Open an app",
      description: "A public app opens for anyone. Any other opens for a caller who may see it.",
      security: [...PUBLIC, { token: [] }],
      parameters: [inPath("url_code", "my-counter", "The app's `url_code` or id")],
      responses: {
        200: reply("The app's page", "text/html"),
        304: unchanged,
        401: refused("The app is not public and there is no valid token"),
        403: refused("The token lacks the scope `apps:read`"),
        404: reply("No such app, or it is switched off", "text/html"),
        503: { $ref: "#/components/responses/Unavailable" },
      },
    },
  },
  "/logos/{file}": {
    get: {
      operationId: "read_logo",
      tags: ["files"],
      summary: "Read an uploaded logo",
      description: "The permanent address that `logo_url` gives, byte for byte as uploaded.",
      security: PUBLIC,
      parameters: [inPath("file", `${"0123456789abcdef".repeat(4)}.png`, "As in `logo_url`")],
      responses: {
        200: reply("The image", "image/*", { type: "string", format: "binary" }),
        304: unchanged,
        404: refused("No such logo"),
        503: { $ref: "#/components/responses/Unavailable" },
      },
    },
  },
  "/platform.d.ts": {
    get: {
      operationId: "read_platform_types",
      tags: ["files"],
      summary: "Read the types of the `platform` module",
      description: "TypeScript declarations for whoever writes apps in an editor.",
      security: PUBLIC,
      responses: { 200: reply("The declarations", "text/plain"), 304: unchanged },
    },
  },
  "/schemas/flow.json": {
    get: {
      operationId: "read_flow_schema",
      tags: ["files"],
      summary: "Read the JSON Schema of a flow's program",
      description:
        "JSON Schema 2020-12, for editors. What it cannot say, such as that ids are unique, is told at save.",
      security: PUBLIC,
      responses: { 200: reply("The schema", "application/json", { type: "object" }), 304: unchanged },
    },
  },
  "/healthz": {
    get: {
      operationId: "health",
      tags: ["health"],
      summary: "Whether the process serves",
      security: PUBLIC,
      responses: { 200: reply("It does", "application/json", health()) },
    },
  },
  "/readyz": {
    get: {
      operationId: "readiness",
      tags: ["health"],
      summary: "Whether the database and the KV store answer",
      security: PUBLIC,
      responses: {
        200: reply("They do", "application/json", health("database", "kv")),
        503: reply("At least one does not", "application/json", health("database", "kv")),
      },
    },
  },
};
