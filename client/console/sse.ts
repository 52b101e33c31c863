/** Server-sent events. */
import { viewedFetch } from "./api.ts";

const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 15_000;

/**
 * Calls `onevent` for each event of a stream, and connects again when the connection is lost.
 *
 * @param ends whether the stream is over when the server ends it
 * @param onlost the connection was lost or refused; the status is 0 without an answer
 * @returns stops it
 */
export function followStream(
  address: string,
  ends: boolean,
  onevent: (event: string, data: unknown) => void,
  onlost: (status: number) => void = () => {},
): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  const work = async () => {
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
      let status = 0;
      try {
        const answer = await viewedFetch(address, { signal });
        // What is not there, or not for this person, does not come by asking again.
        if (!answer.ok && answer.status < 500) return onlost(answer.status);
        if (!answer.ok) status = answer.status;
        if (answer.ok && answer.body) {
          for await (const { event, data } of eventsOf(answer.body)) {
            if (signal.aborted) return;
            pause = FIRST_PAUSE_MS;
            onevent(event, data);
          }
          if (ends) return;
        }
      } catch {
        // The connection was lost, or the page has been left.
      }
      // The pause would keep a page that has been left in memory.
      if (signal.aborted) return;
      onlost(status);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  void work();
  return () => leaving.abort();
}

/**
 * Listens to a stream while the page is visible. A browser has six connections to a host over HTTP/1.1: hidden tabs, and
 * pages that are kept for "Back", would hold them all, and no other page would load.
 *
 * @param listen begins to listen; `again` where the page was hidden before, so that changes were missed. Returns what
 *   ends it
 * @returns what ends it all
 */
export function whileVisible(listen: (again: boolean) => () => void): () => void {
  let end: (() => void) | undefined;
  const turn = (again: boolean) => {
    if (document.visibilityState !== "hidden") return void (end ??= listen(again));
    end?.();
    end = undefined;
  };
  const turned = () => turn(true);
  document.addEventListener("visibilitychange", turned);
  turn(false);
  return () => {
    document.removeEventListener("visibilitychange", turned);
    end?.();
  };
}

/** Reads server-sent events from the body of an answer. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<{ event: string; data: unknown }> {
  let rest = "";
  for await (const text of piecesOf(body)) {
    const blocks = (rest + text).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      let [event, data] = ["message", ""];
      for (const line of block.split(/\r?\n/)) {
        if (line.startsWith("event:")) event = line.slice(6).trim();
        else if (line.startsWith("data:")) data += line.slice(5);
      }
      if (data) yield { event, data: JSON.parse(data) };
    }
  }
}

/** Safari cannot iterate over a stream. */
async function* piecesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
