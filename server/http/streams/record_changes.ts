/** Streams of a database's changes, for viewers and for callers of its public `list`. */
import { ChangesInput, proveRecordChanges, publicChanges, recordChanges } from "../../domains/records/changes.ts";
import { proveEnabled } from "../../domains/records/public/public_access.ts";
import { badRequest, notFound } from "../../errors.ts";
import { proveCaller, proveRole } from "../../viewer.ts";
import { queryOf } from "../address.ts";
import type { HttpContext } from "../http_context.ts";
import type { Parameter, PlainRoute } from "../plain_route.ts";
import { proveNames, queryNames } from "../read_query.ts";
import type { Params } from "../route_table.ts";
import { streamEvents } from "./event_stream.ts";

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

const RULES =
  "Server-sent events: `ready` first, then `create`, `update` and `delete` in the order of their commits; `reset` " +
  "where changes are missing, or what the caller may see has changed as a whole (a table or a field has gone, " +
  "a field has another type, departments have changed), so that the records must be read again. `delete` is also sent " +
  "for a record that the caller may no longer see. Changes are kept for 24 hours; `error` says why the server ends the " +
  "stream.";

const DB_CODE: Parameter = { in: "path", name: "db_code", example: "guestbook" };
const RESUME: Parameter[] = [
  { in: "header", name: "Last-Event-ID", example: 7, description: "Starts after this event" },
  {
    in: "query",
    name: "last_event_id",
    example: 7,
    description: "The same, for clients that cannot set the header",
  },
];
const PARAMETERS: Parameter[] = [
  DB_CODE,
  { in: "query", name: "table_name", example: "people", description: "Of a database with several tables" },
  ...RESUME,
];
const PUBLIC_PARAMETERS: Parameter[] = [DB_CODE, ...RESUME];

const shared = {
  method: "GET",
  summary: "Follow records as they change",
  replies: {
    200: {
      description: "Events as they happen, without end",
      content: { "text/event-stream": { example: EVENTS } },
    },
  },
  refuses: [400, 401, 403, 404, 429, 500, 503],
} as const;

export const RECORD_CHANGES: readonly PlainRoute[] = [
  {
    ...shared,
    path: "/platform/dbs/:db_code/changes",
    name: "record_changes",
    tag: "records",
    description: `Scope: \`records:read\`. ${RULES}`,
    callers: "viewers",
    parameters: PARAMETERS,
    async answer(context, params) {
      const prove = () => proveRole(context, "user", "records:read");
      await prove();
      const input = readInput(context, params, PARAMETERS);
      return await streamEvents(context, {
        prove: () => proveRecordChanges(context, input),
        events: (signal) => recordChanges(context, input, prove, signal),
      });
    },
  },
  {
    ...shared,
    path: "/platform/db/:db_code/changes",
    name: "public_changes",
    tag: "public",
    description: `Where the public \`list\` is enabled, within its scope; records are flat. ${RULES}`,
    callers: "any caller",
    parameters: PUBLIC_PARAMETERS,
    async answer(context, params) {
      const { db_code, last_event_id } = readInput(context, params, PUBLIC_PARAMETERS);
      const caller = await proveCaller(context);
      // A browser without a key would get another one at each proof.
      const prove = async () => ({ ...await proveCaller(context), browser: caller.browser });
      return await streamEvents(context, {
        prove: () => proveEnabled(context, caller, db_code, "list"),
        events: (signal) => publicChanges(context, caller, db_code, last_event_id, prove, signal),
      });
    },
  },
];

/** @throws {Refusal} 400, 404 */
function readInput(
  { call: { request } }: HttpContext,
  { db_code }: Params,
  parameters: readonly Parameter[],
): ChangesInput {
  proveNames(queryNames(parameters), request.url);
  const query = queryOf(request.url);
  const input = ChangesInput.safeParse({
    db_code,
    table_name: query.get("table_name") ?? undefined,
    last_event_id: request.headers.get("last-event-id") ?? query.get("last_event_id") ?? undefined,
  });
  if (input.error?.issues.some(({ path }) => path[0] === "db_code")) throw notFound("Database");
  if (input.error?.issues.some(({ path }) => path[0] === "table_name")) throw badRequest("table_name names no table");
  if (!input.success) throw badRequest("last_event_id is not a number of an event");
  return input.data;
}
