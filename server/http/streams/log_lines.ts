/** The stream of the server's log, for admins of the account that owns the server. */
import { followLog } from "../../domains/operations/follow_log.ts";
import { LogFilter } from "../../domains/operations/log_schema.ts";
import { invalid } from "../../errors.ts";
import { fieldsOf } from "../../input/messages.ts";
import { proveOperator } from "../../operator.ts";
import { proveRole } from "../../viewer.ts";
import { queryOf } from "../address.ts";
import type { PlainRoute } from "../plain_route.ts";
import { streamEvents } from "./event_stream.ts";

const EVENTS = `id: 1\nevent: ready\ndata: {"process":{"number":1,"pid":4711}}\n\n` +
  `id: 2\nevent: lines\ndata: {"lines":[{"time":"2026-11-22T08:30:00.123Z","level":"info","event":"request",` +
  `"request_id":"5f0c2a9d-1e55-a","detail":{"method":"GET","route":"/","status":200,"ms":1.5},` +
  `"process":{"number":1,"pid":4711}}],"left_out":0}\n\n`;

export const LOG_LINES: PlainRoute = {
  method: "GET",
  path: "/account/operations/log",
  name: "log_lines",
  tag: "operations",
  summary: "Follow the server's log",
  description:
    "Server-sent events, for admins of the account that owns the server: `ready` names the process that answers, then " +
    "`lines` has the latest lines of all processes that match, and further ones as they are written. Each process keeps " +
    "its latest 5,000 lines, at most 1 MiB, in memory. `left_out` counts lines that were too many to be sent. Scope: " +
    "`operations:read`.",
  callers: "viewers",
  parameters: [
    { in: "query", name: "request_id", example: "5f0c2a9d-1e55-a", description: "The lines of one request" },
    {
      in: "query",
      name: "level",
      example: "warn",
      description: "This level and those above it: `info`, `warn`, `error`",
    },
    { in: "query", name: "q", example: "timeout", description: "Text that the line contains, in any case" },
  ],
  replies: { 200: { description: "Events as they happen", content: { "text/event-stream": { example: EVENTS } } } },
  refuses: [401, 403, 422, 429, 500, 503],
  async answer(context) {
    const prove = async () => {
      const viewer = await proveRole(context, "admin", "operations:read");
      await proveOperator({ sql: context.sql, viewer });
    };
    await prove();
    const { data: filter, error } = LogFilter.safeParse(Object.fromEntries(queryOf(context.call.request.url)));
    if (!filter) throw invalid(fieldsOf(error.issues));
    return await streamEvents(context, { prove, events: (signal) => followLog(context, filter, prove, signal) });
  },
};
