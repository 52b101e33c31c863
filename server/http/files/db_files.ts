/**
 * Databases as files.
 *
 * | path | file |
 * |---|---|
 * | GET /platform/dbs/:db_code/types.d.ts | TypeScript types of its tables |
 * | GET /platform/dbs/:db_code/export.csv, export.ndjson | a table's records, streamed |
 * | POST /platform/dbs/:db_code/import.csv, import.ndjson | new records, read as they arrive |
 */
import type { Context as HonoContext, Hono } from "hono";
import { type Context, stamp } from "../../context.ts";
import { exportTable, type Format, FORMATS } from "../../domains/records/export.ts";
import { ImportOptions, importTable } from "../../domains/records/import.ts";
import { inDb } from "../../domains/records/write.ts";
import { badRequest, notFound, unauthorized, unsupported } from "../../errors.ts";
import { faultOf } from "../../log.ts";
import { typesOf } from "../../store/store.ts";
import { allow } from "../../trpc.ts";
import { queryOf } from "../address.ts";
import { CORS, type Env, mountOthers } from "../rest/rest.ts";

const CONTENT_TYPES: Record<Format, RegExp> = {
  csv: /^text\/csv\s*(;|$)/i,
  ndjson: /^application\/(x-)?ndjson\s*(;|$)/i,
};
const SENT_AS: Record<Format, string> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
};

const BASE = "/platform/dbs/:db_code";

export function mountDbFiles(app: Hono<Env>): void {
  app.get(`${BASE}/types.d.ts`, (c) => answerTypes(c));
  mountOthers(app, `${BASE}/types.d.ts`, ["GET"]);
  for (const format of FORMATS) {
    app.get(`${BASE}/export.${format}`, (c) => answerExport(c, format));
    mountOthers(app, `${BASE}/export.${format}`, ["GET"]);
    app.post(`${BASE}/import.${format}`, (c) => answerImport(c, format));
    mountOthers(app, `${BASE}/import.${format}`, ["POST"]);
  }
}

async function prove(context: Context, scope: string): Promise<void> {
  const { call, viewers } = context;
  const viewer = call.viewer = call.token ? await viewers.byToken(call.token) : undefined;
  if (!viewer) throw unauthorized();
  allow(viewer, "user", scope);
}

const codeOf = (c: HonoContext<Env>): string => {
  const code = c.req.param("db_code") ?? "";
  if (!/^[a-z0-9_]{1,100}$/.test(code)) throw notFound("Database");
  return code;
};

const tableOf = (c: HonoContext<Env>) => queryOf(c.req.raw.url).get("table_name") ?? undefined;

const headers = (context: Context, content_type: string, file: string) => ({
  ...CORS,
  ...stamp(context.call),
  "content-type": content_type,
  "content-disposition": `attachment; filename="${file}"`,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

async function answerTypes(c: HonoContext<Env>): Promise<Response> {
  const { context } = c.env;
  await prove(context, "dbs:read");
  const code = codeOf(c);
  const text = await inDb(context, code, (db) => Promise.resolve(typesOf(db)));
  return new Response(text, { headers: headers(context, "text/plain; charset=utf-8", `${code}.d.ts`) });
}

async function answerExport(c: HonoContext<Env>, format: Format): Promise<Response> {
  const { context } = c.env;
  await prove(context, "records:read");
  const code = codeOf(c);
  const table = tableOf(c);
  const texts = await exportTable(context, code, table, format);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(new TextEncoder().encode(value));
      } catch (error) {
        // The status is sent: only a body that breaks off says that it is not whole.
        context.log.error("export failed", { request_id: context.call.request_id, ...faultOf(error) });
        controller.error(error);
      }
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
  return new Response(body, { headers: headers(context, SENT_AS[format], `${table ?? code}.${format}`) });
}

async function answerImport(c: HonoContext<Env>, format: Format): Promise<Response> {
  const { context } = c.env;
  const request = c.req.raw;
  await prove(context, "records:write");
  const code = codeOf(c);
  if (!CONTENT_TYPES[format].test(request.headers.get("content-type") ?? "")) {
    throw unsupported(`Send ${SENT_AS[format].split(";")[0]}`);
  }
  if (!request.body) throw badRequest("The body is empty");
  const query = queryOf(request.url);
  const options = ImportOptions.safeParse({
    dry_run: query.get("dry_run") ?? undefined,
    department_id: query.get("department_id") ?? undefined,
  });
  if (!options.success) throw badRequest("dry_run must be true or false, department_id a number");
  const result = await importTable(context, code, tableOf(c), format, request.body, options.data);
  return new Response(JSON.stringify(result), {
    headers: {
      ...CORS,
      ...stamp(context.call),
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
    },
  });
}
