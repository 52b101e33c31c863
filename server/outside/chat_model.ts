/**
 * The language model that the operator has configured: any endpoint with OpenAI's chat completions. Its requests go to an
 * address that the operator trusts, so the rules for connectors' egress do not apply; each has limits of time and size,
 * and follows no redirect. The key is sent to that address alone.
 */
import { z } from "zod";
import type { AiConfig } from "../config.ts";
import { readLines } from "../input/lines.ts";

/** Until the first bytes of an answer, and between two of them. */
const SILENCE_MS = 60_000;
const LONGEST_MS = 300_000;
/** Characters of an answer. */
const LARGEST = 1_000_000;

export interface ChatMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

export interface ChatModel {
  readonly name: string;
  /**
   * The answer's text, piece by piece.
   *
   * @throws {ChatFault} or the signal's reason
   */
  answer(messages: readonly ChatMessage[], signal: AbortSignal): AsyncGenerator<string>;
}

/** A sentence for a person. It has nothing of what the endpoint sent, which may contain the key. */
export class ChatFault extends Error {
  /** @param status the endpoint's answer; undefined where there was none */
  constructor(message: string, readonly status?: number, options?: ErrorOptions) {
    super(message, options);
  }
}

const SAYS: Record<number, string> = {
  401: "The language model refuses this server's key: an administrator must check AI_KEY",
  403: "The language model refuses this server's key: an administrator must check AI_KEY",
  404: "The language model is not at its address: an administrator must check AI_URL and AI_MODEL",
  413: "The conversation is too long for the language model",
  429: "The language model is busy, or its quota is used up: try again later",
};

const Piece = z.object({
  choices: z.array(z.object({
    delta: z.object({ content: z.string().nullish() }).optional(),
    finish_reason: z.string().nullish(),
  })).default([]),
  error: z.unknown().optional(),
});

/** @returns undefined if none is configured */
export function createChatModel(config: AiConfig | undefined): ChatModel | undefined {
  if (!config) return undefined;
  const { url, key, model } = config;
  return {
    name: model,
    async *answer(messages, signal) {
      const silence = new AbortController();
      const late = () => silence.abort(new ChatFault("The language model has stopped answering"));
      let timer = setTimeout(late, SILENCE_MS);
      const any = AbortSignal.any([signal, silence.signal, AbortSignal.timeout(LONGEST_MS)]);
      try {
        const body = await open(`${url}/chat/completions`, key, { model, stream: true, messages }, any);
        let length = 0;
        let ended = false;
        for await (const line of readLines(body, LARGEST)) {
          clearTimeout(timer);
          timer = setTimeout(late, SILENCE_MS);
          const data = /^data:\s*(.*)$/.exec(line.replace(/\r$/, ""))?.[1];
          if (data === undefined || data === "") continue;
          if (data === "[DONE]") return;
          const { text, reason } = read(data);
          length += text.length;
          if (length > LARGEST) throw new ChatFault("The language model's answer is too long");
          if (text) yield text;
          if (reason === "length") throw new ChatFault("The language model's answer was cut off at its longest");
          if (reason) ended = true;
        }
        if (!ended) throw new ChatFault("The connection to the language model broke off");
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (silence.signal.aborted) throw silence.signal.reason;
        if (error instanceof ChatFault) throw error;
        throw new ChatFault("The connection to the language model broke off", undefined, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function open(
  address: string,
  key: string | undefined,
  request: unknown,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    ...key && { authorization: `Bearer ${key}` },
  };
  const answer = await fetch(address, {
    method: "POST",
    headers,
    body: JSON.stringify(request),
    redirect: "manual",
    signal,
  }).catch((cause) => {
    throw new ChatFault("The language model cannot be reached", undefined, { cause });
  });
  const { ok, status, body } = answer;
  if (ok && body && answer.headers.get("content-type")?.startsWith("text/event-stream")) return body;
  await body?.cancel();
  if (ok) throw new ChatFault("The language model's answer cannot be read: it is no stream of events", status);
  throw new ChatFault(SAYS[status] ?? `The language model answers with the status ${status}`, status);
}

function read(data: string): { text: string; reason: string | undefined } {
  try {
    const { choices: [choice], error } = Piece.parse(JSON.parse(data));
    if (error !== undefined && error !== null) throw new ChatFault("The language model reports a failure");
    return { text: choice?.delta?.content ?? "", reason: choice?.finish_reason ?? undefined };
  } catch (cause) {
    if (cause instanceof ChatFault) throw cause;
    throw new ChatFault("The language model's answer cannot be read", undefined, { cause });
  }
}
