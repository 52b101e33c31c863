/**
 * Files by content: their addresses never change meaning, so every cache may keep them for ever.
 *
 * | path | file |
 * |---|---|
 * | GET /logos/:file | an uploaded logo, byte for byte (spec, "Rules for the logo") |
 * | GET /vendor/:file | a runtime that compiled apps import |
 */
import type { Hono } from "hono";
import { notFound } from "../../errors.ts";
import type { Context } from "../../context.ts";
import { findLogo } from "../../domains/departments/logo_queries.ts";
import { type Env, mountOthers } from "../rest/rest.ts";
import { respond, type Variants } from "./variants.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";

/** Sandboxed apps have an opaque origin, mails have none. */
export const FOR_EVERYONE = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
};

export function mountAssets(app: Hono<Env>): void {
  app.get(
    "/logos/:file",
    async (c) => respond(c.req.raw, await logo(c.env.context, c.req.param("file")), IMMUTABLE, FOR_EVERYONE),
  );
  app.get(
    "/vendor/:file",
    async (c) => respond(c.req.raw, await vendor(c.env.context, c.req.param("file")), IMMUTABLE, FOR_EVERYONE),
  );
  mountOthers(app, "/logos/:file", ["GET"]);
  mountOthers(app, "/vendor/:file", ["GET"]);
}

async function logo({ sql }: Context, file: string): Promise<Variants> {
  const found = /^[0-9a-f]{64}\.\w{3,4}$/.test(file) ? await findLogo(sql, file) : undefined;
  if (!found) throw notFound("Logo");
  return { content_type: found.content_type, hash: file.slice(0, 64), identity: new Uint8Array(found.body) };
}

async function vendor({ compiler }: Context, file: string): Promise<Variants> {
  const found = /^[\w.-]{1,100}$/.test(file) ? await compiler.vendor(file) : undefined;
  if (!found) throw notFound("Runtime");
  const { content_type, body, brotli, gzip } = found;
  return { content_type, hash: file, identity: body, br: brotli, gzip };
}
