/** A whole account as one file, out and in. What reads and writes it knows the shapes of all domains: it is loaded on need. */
import { z } from "zod";
import { Imported } from "../../domains/archive/whole/imported.ts";
import { Flag } from "../../domains/records/schema.ts";
import { badRequest, unsupported } from "../../errors.ts";
import { faultOf } from "../../log.ts";
import { proveRole } from "../../viewer.ts";
import { CORS, jsonAnswer, stamp } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";
import { JSON_TYPE, type PlainRoute, refusedAs } from "../plain_route.ts";
import { parametersOf, proveNames, readQuery } from "../read_query.ts";
import { proveUncompressed } from "../rest/body.ts";

const TAR = "application/x-tar";
const PATH = "/account/archive.tar";

const Options = z.object({
  records: Flag.default(false).describe("With the records of all databases"),
  runs: Flag.default(false).describe("With ended runs, their counts, and the ledger of triggers"),
});

export const ACCOUNT_ARCHIVE: readonly PlainRoute[] = [
  {
    method: "GET",
    path: PATH,
    name: "export_archive",
    tag: "archive",
    summary: "Export the whole account",
    description:
      "For another server: departments, users without passwords, apps, databases, flows, connectors without secrets, " +
      "triggers, boards, views, versions and drafts, with their ids; `docs/moving.md` says what is left out. Streamed as it " +
      "is read; on PostgreSQL it is one snapshot. A file that was cut off is refused by the import. Admins only. Scope: " +
      "`archive:read`.",
    callers: "viewers",
    parameters: parametersOf(Options),
    replies: {
      200: { description: "The archive", content: { [TAR]: { shape: { type: "string", format: "binary" } } } },
    },
    refuses: [400, 401, 403, 429, 500, 503],
    answer: answerExport,
  },
  {
    method: "POST",
    path: PATH,
    name: "import_archive",
    tag: "archive",
    summary: "Import a whole account",
    description:
      "An archive of `GET /account/archive.tar`, of any length, into an account that has nothing but users: all of it or " +
      "nothing. Apps, records and runs keep their ids; everything else is numbered anew. A user with a known login or " +
      "e-mail address is that user. A wrong file in the archive is 422 by its name. Admins only. Scope: `archive:write`.",
    callers: "viewers",
    body: { [TAR]: { shape: { type: "string", format: "binary" } } },
    replies: {
      200: { description: "What was created, and what is left to do", content: { [JSON_TYPE]: { shape: Imported } } },
      409: refusedAs("The account is not empty, or the server has an app, a record or a run of the archive already"),
    },
    refuses: [400, 401, 403, 408, 413, 415, 422, 429, 500, 503],
    answer: answerImport,
  },
];

async function answerExport(context: HttpContext): Promise<Response> {
  const { call, log } = context;
  await proveRole(context, "admin", "archive:read");
  proveNames(Object.keys(Options.shape), call.request.url);
  const options = readQuery(Options, call.request.url);
  const headers = {
    ...CORS,
    ...stamp(call),
    "content-type": TAR,
    "content-disposition": `attachment; filename="account.tar"`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  if (call.is_head) return new Response(null, { headers });
  const { exportAccount } = await import("../../domains/archive/whole/export.ts");
  // The status is sent already: breaking the body off is the only sign that the archive is incomplete.
  const body = await exportAccount(
    context,
    options,
    (error) => log.error("export failed", { request_id: call.request_id, ...faultOf(error) }),
  );
  return new Response(body, { headers });
}

async function answerImport(context: HttpContext): Promise<Response> {
  const { call } = context;
  const { request } = call;
  await proveRole(context, "admin", "archive:write");
  if (!/^application\/x-tar\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) throw unsupported(`Send ${TAR}`);
  proveUncompressed(request);
  if (!request.body) throw badRequest("The body is empty");
  proveNames([], request.url);
  const { importAccount } = await import("../../domains/archive/whole/import.ts");
  return jsonAnswer(call, 200, JSON.stringify(await importAccount(context, request.body)));
}
