/** Files named by their content: an address never changes its meaning, so caches keep them without asking again. */
import { findLogo } from "../../domains/departments/logo_queries.ts";
import { notFound } from "../../errors.ts";
import type { HttpContext } from "../http_context.ts";
import { type PlainRoute, refusedAs, UNCHANGED } from "../plain_route.ts";
import { respond, type Variants } from "./variants.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";

/** Readable from any origin: a sandboxed app has an opaque one, an e-mail has none. */
export const FOR_EVERYONE = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
};

export const ASSETS: readonly PlainRoute[] = [
  {
    method: "GET",
    path: "/logos/:file",
    name: "read_logo",
    tag: "files",
    summary: "Read an uploaded logo",
    description: "The permanent address in `logo_url`, byte for byte as uploaded.",
    callers: "everyone",
    parameters: [{
      in: "path",
      name: "file",
      example: `${"0123456789abcdef".repeat(4)}.png`,
      description: "As in `logo_url`",
    }],
    replies: {
      200: { description: "The image", content: { "image/*": { shape: { type: "string", format: "binary" } } } },
      304: UNCHANGED,
      404: refusedAs("No such logo"),
    },
    refuses: [503],
    answer: async (context, { file = "" }) =>
      respond(context.call.request, await findLogoFile(context, file), IMMUTABLE, FOR_EVERYONE),
  },
  {
    method: "GET",
    path: "/vendor/:file",
    name: "read_vendor_file",
    tag: "files",
    summary: "Read a file of a runtime that compiled apps import",
    callers: "everyone",
    parameters: [{ in: "path", name: "file", example: "svelte-5.57.3.js", description: "As in an app's page" }],
    replies: {
      200: { description: "The file", content: { "text/javascript": {} } },
      304: UNCHANGED,
      404: refusedAs("No such file"),
    },
    refuses: [503],
    answer: async (context, { file = "" }) =>
      respond(context.call.request, await findVendorFile(context, file), IMMUTABLE, FOR_EVERYONE),
  },
];

async function findLogoFile({ sql }: HttpContext, file: string): Promise<Variants> {
  const found = /^[0-9a-f]{64}\.\w{3,4}$/.test(file) ? await findLogo(sql, file) : undefined;
  if (!found) throw notFound("Logo");
  return { content_type: found.content_type, hash: file.slice(0, 64), identity: new Uint8Array(found.body) };
}

async function findVendorFile({ compiler }: HttpContext, file: string): Promise<Variants> {
  const found = /^[\w.-]{1,100}$/.test(file) ? await compiler.vendor(file) : undefined;
  if (!found) throw notFound("Runtime");
  const { content_type, body, brotli, gzip } = found;
  return { content_type, hash: file, identity: body, br: brotli, gzip };
}
