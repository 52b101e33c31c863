/** What the API reference says of actions, which need no login where they are public, and of runs as they come on. */
import { ActionAnswer } from "../../domains/apps/schema.ts";
import { ALWAYS, answer, ANYONE, jsonAnswer, parameter, PRIVATE, refused, text } from "./parts.ts";

const ID = "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55";
const APP = parameter("path", "id", ID, "The app's id");
const ACTION = parameter("path", "action_name", "refresh", "As in the app's `actions`");

const EVENTS = "id: 1\nevent: ready\ndata: {}\n\n" +
  `id: 2\nevent: process\ndata: {"id":"${ID}","flow_code":"watch","status":"pending",…}\n\n`;

export const ACTION_PATHS = {
  "/platform/apps/{id}/action/{action_name}": {
    post: {
      operationId: "call_action",
      tags: ["apps"],
      summary: "Call an action",
      description: "Runs the action's flow with the body as its input, and waits for its end as long as " +
        "ACTION_WAIT_MS says; `pending` then is to be polled. Without a login only a public action of a public app " +
        "that is active, and only connector methods that are public. Who may see the app may call its actions, whatever the " +
        "flow's own department; who adds or changes an action must see its flow. Scope: `apps:write`.",
      security: ANYONE,
      parameters: [
        APP,
        ACTION,
        parameter(
          "header",
          "Idempotency-Key",
          "order-4711",
          "The second call with it within 24 hours gives the first one's run; with another body it is refused",
        ),
      ],
      requestBody: {
        required: false,
        content: { "application/json": { schema: { type: "object" }, example: { currency: "EUR" } } },
      },
      responses: {
        200: jsonAnswer("The run, whatever became of it", ActionAnswer),
        ...refused(400, 401, 403, 404, 408, 413, 415, 422, ...ALWAYS),
      },
    },
  },
  "/platform/apps/{id}/action/{action_name}/status": {
    get: {
      operationId: "action_status",
      tags: ["apps"],
      summary: "Poll a call",
      description: "For whoever may call the action. Scope: `apps:read`.",
      security: ANYONE,
      parameters: [
        APP,
        ACTION,
        { ...parameter("query", "flow_process_id", ID, "As the call gave it"), required: true },
      ],
      responses: {
        200: jsonAnswer("The run", ActionAnswer),
        ...refused(400, 401, 403, 404, ...ALWAYS),
      },
    },
  },
  "/connect/flow_processes/changes": {
    get: {
      operationId: "flow_process_changes",
      tags: ["flow_processes"],
      summary: "Follow runs of flows",
      description:
        "Server-sent events: `ready` first, then `process` when one begins, is taken in hand or ends; what " +
        "changes within a moment comes as one. With `id`, without `ready`, that run with its steps, whenever it has " +
        "come on; the stream ends with it. Whoever comes back reads " +
        "the list again. Scope: `flow_processes:read`.",
      security: PRIVATE,
      parameters: [parameter("query", "id", ID, "Only this run, with its steps")],
      responses: {
        200: answer("Events as they happen", { "text/event-stream": text(EVENTS) }),
        ...refused(401, 403, 404, ...ALWAYS),
      },
    },
  },
};
