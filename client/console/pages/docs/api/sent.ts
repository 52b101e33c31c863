/** Sends a request with the session of the browser, and reads its answer as it arrives. */
import type { PlannedRequest } from "./request.ts";

export interface Answered {
  status: number;
  /** `Not Found`; empty over HTTP/2. */
  words: string;
  ms: number;
  headers: [name: string, value: string][];
  /** So far, for an answer without end. */
  body: string;
  bytes: number;
  /** Whether more than `MOST_SHOWN` characters came, or the answer is no text. */
  cut: boolean;
  done: boolean;
}

const MOST_SHOWN = 100_000;
const TEXT = /^(text\/|application\/(json|javascript|x-ndjson|problem\+json))/;

/**
 * @param told is called when the head has arrived, after each piece of the body, and at the end
 * @throws {TypeError} where the server does not answer
 */
export async function send(
  request: PlannedRequest,
  signal: AbortSignal,
  told: (answer: Answered) => void,
): Promise<void> {
  const { method, path, content_type, headers, body, form } = request;
  const parts = new FormData();
  for (const [name, value] of form ?? []) parts.append(name, value);
  const started = performance.now();
  const response = await fetch(path, {
    method,
    // The browser names the type of a form itself, with its boundary.
    headers: { ...headers, ...(content_type && !form && { "content-type": content_type }) },
    body: form ? parts : body ?? null,
    credentials: "same-origin",
    cache: "no-store",
    signal,
  });
  const is_text = TEXT.test(response.headers.get("content-type") ?? "");
  const answer: Answered = {
    status: response.status,
    words: response.statusText,
    ms: performance.now() - started,
    headers: [...response.headers],
    body: "",
    bytes: 0,
    cut: false,
    done: false,
  };
  told({ ...answer });
  const decoder = new TextDecoder();
  for await (const piece of piecesOf(response)) {
    answer.bytes += piece.length;
    if (is_text && answer.body.length < MOST_SHOWN) answer.body += decoder.decode(piece, { stream: true });
    answer.cut = !is_text || answer.body.length > MOST_SHOWN;
    told({ ...answer, body: answer.body.slice(0, MOST_SHOWN) });
  }
  told({ ...answer, body: indented(answer), ms: performance.now() - started, done: true });
}

/** Safari's streams are no iterables. */
async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value;
}

function indented({ body, cut }: Answered): string {
  if (cut) return body.slice(0, MOST_SHOWN);
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
