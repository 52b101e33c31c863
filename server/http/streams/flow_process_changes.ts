/** The stream of an account's runs as they progress, or of one run with its steps. */
import { followProcess, followProcesses } from "../../domains/flow_processes/follow.ts";
import { readProcess } from "../../domains/flow_processes/inspect.ts";
import { notFound } from "../../errors.ts";
import { Uuid } from "../../input/shapes.ts";
import { proveRole } from "../../viewer.ts";
import { queryOf } from "../address.ts";
import type { PlainRoute } from "../plain_route.ts";
import { proveNames } from "../read_query.ts";
import { streamEvents } from "./event_stream.ts";

const ID = "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55";
const EVENTS = "id: 1\nevent: ready\ndata: {}\n\n" +
  `id: 2\nevent: process\ndata: {"id":"${ID}","flow_code":"watch","status":"pending",…}\n\n`;

export const FLOW_PROCESS_CHANGES: PlainRoute = {
  method: "GET",
  path: "/connect/flow_processes/changes",
  name: "flow_process_changes",
  tag: "flow_processes",
  summary: "Follow runs of flows",
  description:
    "Server-sent events: `ready` first, then `process` when a run is created, starts or ends; changes within a moment " +
    "come as one event. With `id`, without `ready`: that run with its steps each time it progresses, until it ends, " +
    "which ends the stream. A client that reconnects reads the list again. Scope: `flow_processes:read`.",
  callers: "viewers",
  parameters: [{ in: "query", name: "id", example: ID, description: "Only this run, with its steps" }],
  replies: { 200: { description: "Events as they happen", content: { "text/event-stream": { example: EVENTS } } } },
  refuses: [400, 401, 403, 404, 429, 500, 503],
  async answer(context) {
    const prove = () => proveRole(context, "user", "flow_processes:read");
    await prove();
    proveNames(["id"], context.call.request.url);
    const id = queryOf(context.call.request.url).get("id");
    if (id !== null && !Uuid.safeParse(id).success) throw notFound("Flow process");
    return await streamEvents(
      context,
      id === null ? { prove, events: (signal) => followProcesses(context, prove, signal) } : {
        prove: () => readProcess(context, id),
        events: (signal) => followProcess(context, id, prove, signal),
      },
    );
  },
};
