/**
 * What the API reference says of databases where they are no procedures: public methods, live records, files. The
 * schemas are those that the requests are read by.
 */
import { z } from "zod";
import { ImportOptions, ImportResult } from "../../domains/records/import.ts";
import { PUBLIC_BODIES, PublicPage } from "../../domains/records/public_schema.ts";
import { FlatRecord } from "../../domains/records/schema.ts";
import { Uuid } from "../../input/shapes.ts";
import { ALWAYS, answer, ANYONE, jsonAnswer, parameter, PRIVATE, refused, shape, type Status, text } from "./parts.ts";
import { schemaOf } from "./schemas.ts";

const DB_CODE = parameter("path", "db_code", "guestbook");
const TABLE_NAME = parameter("query", "table_name", "people", "Of a database with several tables");

interface PublicMethod {
  name: "list" | "create" | "update" | "delete";
  summary: string;
  description: string;
  status: 200 | 201;
  body: z.ZodType;
  sends: z.ZodType;
}

const METHODS: PublicMethod[] = [
  {
    name: "list",
    summary: "List records without login",
    description: "The newest 100 first unless told. With `scope_by` only the caller's own; none for a caller who has " +
      "nothing to be known by. The body may be left out.",
    status: 200,
    body: PublicPage,
    sends: z.array(FlatRecord),
  },
  {
    name: "create",
    summary: "Create a record without login",
    description: "What `allowed_fields` does not name is dropped; `auto_fields` always win.",
    status: 201,
    body: PUBLIC_BODIES.create,
    sends: FlatRecord,
  },
  {
    name: "update",
    summary: "Update a record without login",
    description: "Only the fields that are sent change. With `scope_by` another's record is 404.",
    status: 200,
    body: PUBLIC_BODIES.update,
    sends: FlatRecord,
  },
  {
    name: "delete",
    summary: "Delete a record without login",
    description: "With `scope_by` another's record is 404.",
    status: 200,
    body: PUBLIC_BODIES.delete,
    sends: z.object({ id: Uuid }),
  },
];

function publicMethod({ name, summary, description, status, body, sends }: PublicMethod) {
  const refusals: Status[] = [400, 401, 403, 404, 408, 413, 415, ...ALWAYS];
  if (name === "create" || name === "update") refusals.push(422);
  if (name !== "list") refusals.push(429);
  return {
    post: {
      operationId: `public_${name}`,
      tags: ["public"],
      summary,
      description: `${description} 403 where the database's \`public_methods\` do not enable it.`,
      security: ANYONE,
      parameters: [DB_CODE],
      requestBody: { required: name !== "list", content: { "application/json": shape(body, "input") } },
      responses: { [status]: jsonAnswer(summary, sends), ...refused(...refusals) },
    },
  };
}

const EVENTS = [
  "retry: 2000",
  "",
  "id: 7",
  "event: ready",
  "data: {}",
  "",
  "id: 8",
  "event: delete",
  `data: {"id":"0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55","table_name":null}`,
  "",
  "",
].join("\n");

const changes = (operationId: string, tag: string, more: Record<string, unknown>, description: string) => ({
  get: {
    operationId,
    tags: [tag],
    summary: "Follow records as they change",
    description:
      `${description} Server-sent events: \`ready\` first, then \`create\`, \`update\` and \`delete\` in the ` +
      "order of their commits; `reset` where changes are missing, or what the caller may see has changed as a whole (a " +
      "table or a field has gone, departments have changed), so that the records must be read anew. `delete` also " +
      "tells of a record that the caller may not see any more. Changes are kept for 24 hours; `error` says why the " +
      "server ends the stream.",
    responses: {
      200: answer("Events as they happen, without end", { "text/event-stream": text(EVENTS) }),
      ...refused(400, 401, 403, 404, ...ALWAYS),
    },
    ...more,
  },
});

const RESUMES = [
  parameter("header", "Last-Event-ID", 7, "Begins behind this event"),
  parameter("query", "last_event_id", 7, "The same, for clients that cannot set the header"),
];

const FORMATS = {
  csv: {
    type: "text/csv",
    sent: "id,message,author,created_at,updated_at\n0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55,Hello,Ada," +
      "2026-11-21T08:30:00.000+00:00,2026-11-21T08:30:00.000+00:00\n",
    taken: "message,author\nHello,Ada\n",
  },
  ndjson: {
    type: "application/x-ndjson",
    sent: `{"id":"0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55","table_name":null,"data":{"message":"Hello","author":"Ada"},` +
      `"department_id":null,"created_by_id":1,"created_at":"2026-11-21T08:30:00.000+00:00",` +
      `"updated_at":"2026-11-21T08:30:00.000+00:00"}\n`,
    taken: `{"data":{"message":"Hello","author":"Ada"}}\n`,
  },
} as const;

const exported = (format: keyof typeof FORMATS) => ({
  get: {
    operationId: `export_${format}`,
    tags: ["records"],
    summary: `Export records as ${format.toUpperCase()}`,
    description: "The oldest first, those that the caller may see, as they are read. Scope: `records:read`.",
    security: PRIVATE,
    parameters: [DB_CODE, TABLE_NAME],
    responses: {
      200: answer("The file", { [FORMATS[format].type]: text(FORMATS[format].sent) }),
      ...refused(400, 401, 403, 404, ...ALWAYS),
    },
  },
});

const options = Object.entries(ImportOptions.shape).map(([name, option]) => {
  const { description, ...schema } = schemaOf(option, "input");
  return { name, in: "query", required: false, description, schema };
});

const imported = (format: keyof typeof FORMATS) => ({
  post: {
    operationId: `import_${format}`,
    tags: ["records"],
    summary: `Import records from ${format.toUpperCase()}`,
    description: "Read as it arrives, of any length. Rows that fit become records in batches, the others are told. " +
      "A file that cannot be read further is 400; what came before is there. An export can be imported: its ids and " +
      "times are left out. Scope: `records:write`.",
    security: PRIVATE,
    parameters: [DB_CODE, TABLE_NAME, ...options],
    requestBody: { required: true, content: { [FORMATS[format].type]: text(FORMATS[format].taken) } },
    responses: {
      200: jsonAnswer("What became of the rows", ImportResult),
      ...refused(400, 401, 403, 404, 408, 415, 422, ...ALWAYS),
    },
  },
});

export const DB_PATHS = {
  ...Object.fromEntries(METHODS.map((method) => [`/platform/db/{db_code}/${method.name}`, publicMethod(method)])),
  "/platform/db/{db_code}/changes": changes(
    "public_changes",
    "public",
    { security: ANYONE, parameters: [DB_CODE, ...RESUMES] },
    "Where the public `list` is enabled, within its scope; records are flat.",
  ),
  "/platform/dbs/{db_code}/changes": changes(
    "record_changes",
    "records",
    { security: PRIVATE, parameters: [DB_CODE, TABLE_NAME, ...RESUMES] },
    "Scope: `records:read`.",
  ),
  "/platform/dbs/{db_code}/types.d.ts": {
    get: {
      operationId: "read_db_types",
      tags: ["dbs"],
      summary: "Read a database's types",
      description: "TypeScript declarations of its tables. Scope: `dbs:read`.",
      security: PRIVATE,
      parameters: [DB_CODE],
      responses: {
        200: answer("The declarations", {
          "text/plain": text("export interface GuestbookFields {\n  message: string;\n}\n"),
        }),
        ...refused(401, 403, 404, ...ALWAYS),
      },
    },
  },
  "/platform/dbs/{db_code}/export.csv": exported("csv"),
  "/platform/dbs/{db_code}/export.ndjson": exported("ndjson"),
  "/platform/dbs/{db_code}/import.csv": imported("csv"),
  "/platform/dbs/{db_code}/import.ndjson": imported("ndjson"),
};
