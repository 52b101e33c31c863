/** The assistant's answer about an app's source, as it is written. */
import { assist, findAssisted } from "../../domains/apps/assistant/assist.ts";
import { type AssistantEvent, Question } from "../../domains/apps/assistant/schema.ts";
import { invalid, notFound } from "../../errors.ts";
import { fieldsOf } from "../../input/messages.ts";
import { Uuid } from "../../input/shapes.ts";
import { proveRole } from "../../viewer.ts";
import { JSON_TYPE, type PlainRoute } from "../plain_route.ts";
import { readBody } from "../rest/body.ts";
import { type ServerEvent, streamEvents } from "./event_stream.ts";

const EVENTS = `id: 1\nevent: start\ndata: {"model":"example"}\n\n` +
  `id: 2\nevent: text\ndata: {"text":"A red button:\\n"}\n\n` +
  `id: 3\nevent: edit\ndata: {"old":"<button","new":"<button class=\\"red\\""}\n\n` +
  `id: 4\nevent: done\ndata: {"edits":1,"ok":null}\n\n`;

export const ASSIST: PlainRoute = {
  method: "POST",
  path: "/platform/apps/:id/assist",
  name: "assist_app",
  tag: "apps",
  summary: "Ask the assistant about an app's source",
  description:
    "Server-sent events: `start`, then `text` as it is written, and `edit` for each proposed replacement, to be applied in " +
    "this order; `check` says whether the edited source is right; `done` or `error` is the last one. Nothing is stored. " +
    "404 without `AI_URL`. Counts as a compilation. Scope: `apps:write`.",
  callers: "viewers",
  parameters: [{ in: "path", name: "id", shape: Uuid, example: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55" }],
  body: { [JSON_TYPE]: { shape: Question } },
  replies: { 200: { description: "Events as they happen", content: { "text/event-stream": { example: EVENTS } } } },
  refuses: [400, 401, 403, 404, 408, 413, 415, 422, 429, 500, 503],
  async answer(context, { id = "" }) {
    const viewer = await proveRole(context, "manager", "apps:write");
    if (!Uuid.safeParse(id).success) throw notFound("App");
    const assisted = await findAssisted(context, id);
    await context.limits.take("compiles", { account_id: viewer.account_id, viewer, address: context.call.address });
    const { value } = await readBody(context.call.request, false, context.body_deadlines);
    const { data: question, error } = Question.safeParse(value);
    if (!question) throw invalid(fieldsOf(error.issues));
    return await streamEvents(context, {
      prove: () => {},
      events: (signal) => numbered(assist(context, assisted, question, signal)),
    });
  },
};

async function* numbered(events: AsyncGenerator<AssistantEvent>): AsyncGenerator<ServerEvent> {
  let id = 0;
  for await (const event of events) yield { id: ++id, ...event };
}
