/** Databases as files: their types, and the records of a table out and in. */
import { Chosen, CsvExportOptions, exportTable, type Format, FORMATS } from "../../domains/records/export.ts";
import { ImportOptions, ImportResult, importTable } from "../../domains/records/import.ts";
import { inDb } from "../../domains/records/place.ts";
import { badRequest, notFound, unsupported } from "../../errors.ts";
import { faultOf } from "../../log.ts";
import { typesOf } from "../../store/store.ts";
import { proveRole } from "../../viewer.ts";
import { queryOf } from "../address.ts";
import { CORS, stamp } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";
import { JSON_TYPE, type Parameter, type PlainRoute } from "../plain_route.ts";
import { parametersOf, proveNames, readQuery } from "../read_query.ts";
import { proveUncompressed } from "../rest/body.ts";
import type { Params } from "../route_table.ts";

interface FileFormat {
  type: string;
  /** `Content-Type` headers that an import accepts. */
  accepted: RegExp;
  exported: string;
  imported: string;
}

const FORMS: Record<Format, FileFormat> = {
  csv: {
    type: "text/csv",
    accepted: /^text\/csv\s*(;|$)/i,
    exported: "id,message,author,created_at,updated_at\n0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55,Hello,Ada," +
      "2026-11-21T08:30:00.000+00:00,2026-11-21T08:30:00.000+00:00\n",
    imported: "message,author\nHello,Ada\n",
  },
  ndjson: {
    type: "application/x-ndjson",
    accepted: /^application\/(x-)?ndjson\s*(;|$)/i,
    exported:
      `{"id":"0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55","table_name":null,"data":{"message":"Hello","author":"Ada"},` +
      `"department_id":null,"created_by_id":1,"created_at":"2026-11-21T08:30:00.000+00:00",` +
      `"updated_at":"2026-11-21T08:30:00.000+00:00"}\n`,
    imported: `{"data":{"message":"Hello","author":"Ada"}}\n`,
  },
};

const DB_CODE: Parameter = { in: "path", name: "db_code", example: "guestbook" };
const TABLE_NAME: Parameter = {
  in: "query",
  name: "table_name",
  example: "people",
  description: "Of a database with several tables",
};
const OPTIONS = {
  csv: { exported: CsvExportOptions.extend(Chosen.shape), imported: ImportOptions },
  ndjson: { exported: Chosen, imported: ImportOptions.omit({ raw: true }) },
};

const TYPES: PlainRoute = {
  method: "GET",
  path: "/platform/dbs/:db_code/types.d.ts",
  name: "read_db_types",
  tag: "dbs",
  summary: "Read a database's types",
  description: "TypeScript declarations of its tables. Scope: `dbs:read`.",
  callers: "viewers",
  parameters: [DB_CODE],
  replies: {
    200: {
      description: "The declarations",
      content: { "text/plain": { example: "export interface GuestbookFields {\n  message: string;\n}\n" } },
    },
  },
  refuses: [401, 403, 404, 429, 500, 503],
  async answer(context, params) {
    await proveRole(context, "user", "dbs:read");
    const code = readCode(params);
    const text = await inDb(context, code, (db) => Promise.resolve(typesOf(db)));
    return new Response(text, { headers: fileHeaders(context, "text/plain; charset=utf-8", `${code}.d.ts`) });
  },
};

const exportAs = (format: Format): PlainRoute => ({
  method: "GET",
  path: `/platform/dbs/:db_code/export.${format}`,
  name: `export_${format}`,
  tag: "records",
  summary: `Export records as ${format.toUpperCase()}`,
  description:
    "The oldest first, those that the viewer may see and that fit `filter` and `q`, streamed as they are read. " +
    "Scope: `records:read`.",
  callers: "viewers",
  parameters: [DB_CODE, TABLE_NAME, ...parametersOf(OPTIONS[format].exported)],
  replies: { 200: { description: "The file", content: { [FORMS[format].type]: { example: FORMS[format].exported } } } },
  refuses: [400, 401, 403, 404, 429, 500, 503],
  answer: (context, params) => answerExport(context, params, format),
});

const importFrom = (format: Format): PlainRoute => ({
  method: "POST",
  path: `/platform/dbs/:db_code/import.${format}`,
  name: `import_${format}`,
  tag: "records",
  summary: `Import records from ${format.toUpperCase()}`,
  description: "Read as it arrives, of any length. Rows that fit become records in batches; the others are reported. " +
    "A file that becomes unreadable is 400; the records before that place stay. An export can be imported: its ids, authors " +
    "and times are left out; the departments in NDJSON are kept. Scope: `records:write`.",
  callers: "viewers",
  parameters: [DB_CODE, TABLE_NAME, ...parametersOf(OPTIONS[format].imported)],
  body: { [FORMS[format].type]: { example: FORMS[format].imported } },
  replies: { 200: { description: "The result for the rows", content: { [JSON_TYPE]: { shape: ImportResult } } } },
  refuses: [400, 401, 403, 404, 408, 415, 422, 429, 500, 503],
  answer: (context, params) => answerImport(context, params, format),
});

export const DB_FILES: readonly PlainRoute[] = [TYPES, ...FORMATS.map(exportAs), ...FORMATS.map(importFrom)];

function readCode({ db_code = "" }: Params): string {
  if (!/^[a-z0-9_]{1,100}$/.test(db_code)) throw notFound("Database");
  return db_code;
}

const fileHeaders = ({ call }: HttpContext, content_type: string, file: string) => ({
  ...CORS,
  ...stamp(call),
  "content-type": content_type,
  "content-disposition": `attachment; filename="${file}"`,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

async function answerExport(context: HttpContext, params: Params, format: Format): Promise<Response> {
  const { call, log } = context;
  await proveRole(context, "user", "records:read");
  const code = readCode(params);
  const query = queryOf(call.request.url);
  proveNames([TABLE_NAME.name, ...Object.keys(OPTIONS[format].exported.shape)], call.request.url);
  const table = query.get("table_name") ?? undefined;
  const texts = await exportTable(context, code, table, format, {
    ...readQuery(CsvExportOptions, call.request.url),
    ...readQuery(Chosen, call.request.url),
  });
  const headers = fileHeaders(context, `${FORMS[format].type}; charset=utf-8`, `${table ?? code}.${format}`);
  // No record is read before the first text.
  if (call.is_head) return new Response(null, { headers });
  const encoder = new TextEncoder();
  let has_left = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await texts.next();
        // A reader may leave while a page is read.
        if (has_left) return;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        if (has_left) return;
        // The status is sent already: breaking the body off is the only sign that the file is incomplete.
        log.error("export failed", { request_id: call.request_id, ...faultOf(error) });
        controller.error(error);
      }
    },
    async cancel() {
      has_left = true;
      await texts.return(undefined);
    },
  });
  return new Response(body, { headers });
}

async function answerImport(context: HttpContext, params: Params, format: Format): Promise<Response> {
  const { call } = context;
  const { request } = call;
  await proveRole(context, "user", "records:write");
  const code = readCode(params);
  if (!FORMS[format].accepted.test(request.headers.get("content-type") ?? "")) {
    throw unsupported(`Send ${FORMS[format].type}`);
  }
  proveUncompressed(request);
  if (!request.body) throw badRequest("The body is empty");
  proveNames([TABLE_NAME.name, ...Object.keys(OPTIONS[format].imported.shape)], request.url);
  const query = queryOf(request.url);
  const options = readQuery(ImportOptions, request.url);
  const table = query.get("table_name") ?? undefined;
  const result = await importTable(context, code, table, format, request.body, options);
  return new Response(JSON.stringify(result), {
    headers: {
      ...CORS,
      ...stamp(call),
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
    },
  });
}
