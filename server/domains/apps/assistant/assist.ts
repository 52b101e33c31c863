/**
 * Asks the language model about an app's source. Its edits are proposals: nothing is stored. Mistakes in them are told to
 * the model at most twice.
 */
import { z } from "zod";
import { CompileFailure, CompilerBusy } from "../../../compiler/compiler.ts";
import { ChatFault, type ChatMessage, type ChatModel } from "../../../outside/chat_model.ts";
import type { Context } from "../../../context.ts";
import { notFound, Refusal } from "../../../errors.ts";
import { faultOf } from "../../../log.ts";
import { findWritten, type Written } from "../queries.ts";
import { mistakesOf, promptFor, withSource } from "./prompt.ts";
import { createReplyReader, type Part } from "./reply.ts";
import type { AssistantEvent, Edit, Question } from "./schema.ts";

const MOST_CORRECTIONS = 2;

/** @throws {Refusal} 404 without the app or without a configured model */
export async function findAssisted(ctx: Context, id: string): Promise<{ app: Written; model: ChatModel }> {
  const app = await findWritten(ctx.sql, ctx.viewer, id);
  if (!app) throw notFound("App");
  if (!ctx.model) throw notFound("Assistant");
  return { app, model: ctx.model };
}

export async function* assist(
  ctx: Context,
  { app, model }: { app: Written; model: ChatModel },
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<AssistantEvent> {
  yield { event: "start", data: { model: model.name } };
  try {
    yield* conversation(ctx, app, model, question, signal);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof ChatFault) {
      ctx.log.warn("assistant", { status: error.status, fault: error.message, cause: faultOf(error.cause) });
    } else if (!(error instanceof Refusal) && !(error instanceof CompilerBusy)) throw error;
    const code = error instanceof Refusal ? String(error.body.code) : "unavailable";
    yield { event: "error", data: { error: error.message, code } };
  }
}

async function* conversation(
  ctx: Context,
  app: Written,
  model: ChatModel,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<AssistantEvent> {
  const { source_code, compile, app_engine = app.app_engine, css_engine = app.css_engine } = question;
  const last = question.messages.at(-1)?.content ?? "";
  const messages: ChatMessage[] = [
    { role: "system", content: promptFor(app_engine, css_engine, app.prompt) },
    ...question.messages.slice(0, -1),
    { role: "user", content: withSource(last, source_code) },
  ];
  let [source, edits] = [source_code, 0];
  let ok: boolean | null = null;
  for (let round = 0;; round++) {
    let reply = "";
    const faults: string[] = [];
    let changed = false;
    const reader = createReplyReader();
    const take = function* (parts: Part[]): Generator<AssistantEvent> {
      for (const part of parts) {
        if (part.kind === "text") {
          yield { event: "text", data: { text: part.text } };
          continue;
        }
        const edit = readEdit(part, source);
        changed = true;
        if (typeof edit === "string") {
          faults.push(edit);
          continue;
        }
        source = source.replace(edit.old, () => edit.new);
        edits++;
        yield { event: "edit", data: edit };
      }
    };
    for await (const piece of model.answer(messages, signal)) {
      reply += piece;
      yield* take(reader.push(piece));
    }
    yield* take(reader.end());
    if (!changed) break;
    if (compile && faults.length === 0) {
      await ctx.limits.take("compiles", { ...ctx.viewer, viewer: ctx.viewer, address: ctx.call.address });
      faults.push(...await mistakesIn(ctx, { engine: app_engine, css_engine, source_code: source }));
    }
    ok = faults.length === 0 && (compile || null);
    if (compile || faults.length > 0) {
      yield { event: "check", data: { ok: faults.length === 0, messages: faults } };
    }
    if (faults.length === 0 || round === MOST_CORRECTIONS) break;
    messages.push({ role: "assistant", content: reply }, { role: "user", content: mistakesOf(faults, source) });
  }
  yield { event: "done", data: { edits, ok } };
}

const Proposed = z.object({ old: z.string().min(1), new: z.string() });

/** @returns the edit, or what is wrong with it */
function readEdit({ text, complete }: Extract<Part, { kind: "block" }>, source: string): Edit | string {
  if (!complete) return "A replace block has no end.";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `This replace block is no JSON object with "old" and "new": ${text.slice(0, 200)}`;
  }
  const { data: edit } = Proposed.safeParse(value);
  if (!edit) return `This replace block is no JSON object with "old" and "new": ${text.slice(0, 200)}`;
  const count = source.split(edit.old).length - 1;
  if (count !== 1) {
    return `"old" must occur exactly once in the source, and occurs ${count} times: ${edit.old.slice(0, 200)}`;
  }
  return { old: edit.old, new: edit.new };
}

async function mistakesIn(
  { compiler, viewer }: Context,
  source: Parameters<Context["compiler"]["compile"]>[0],
): Promise<string[]> {
  try {
    await compiler.compile(source, viewer.account_id, true);
    return [];
  } catch (error) {
    if (error instanceof CompileFailure) return error.messages;
    throw error;
  }
}
