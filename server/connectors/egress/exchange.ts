/**
 * One request and its whole answer. undici's handlers are used as they are: its `request()` makes a stream of each body,
 * which took a tenth of the CPU time of a flow with one call.
 */
import type { Dispatcher } from "undici";
import { MAX_DISCARDED_BYTES } from "./limits.ts";
import { joinedChunks, tooLarge } from "./response_body.ts";

type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Answer {
  status: number;
  /** Lower-case names; repeated headers are joined by commas. */
  headers: Record<string, string>;
  /** Still encoded. Empty if the body was discarded. */
  bytes: Uint8Array;
}

interface Exchange {
  options: Dispatcher.DispatchOptions;
  signal: AbortSignal;
  /** Limit of the body. */
  most_bytes: number;
  /** Whether only the head of the answer counts. A short body is read, so that its connection can be reused. */
  isDiscarded(status: number, headers: Record<string, string>): boolean;
}

/** @throws the signal's reason, {ConnectorFault} `too_large`, and the client's errors */
export function exchange(
  dispatcher: Pick<Dispatcher, "dispatch">,
  { options, signal, most_bytes, isDiscarded }: Exchange,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answer: Answer | undefined;
    let chunks: Uint8Array[] = [];
    let size = 0;
    let limit = most_bytes;
    let is_discarded = false;
    let controller: Dispatcher.DispatchController | undefined;
    const end = (settle: () => void) => {
      signal.removeEventListener("abort", abort);
      settle();
    };
    // The request may still wait for a connection, or for the address of the host: it is aborted when it starts.
    const abort = () => {
      controller?.abort(signal.reason);
      end(() => reject(signal.reason));
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      dispatcher.dispatch(options, {
        // The client starts a request again if its kept connection turns out to be closed.
        onRequestStart(started) {
          controller = started;
          if (signal.aborted) started.abort(signal.reason);
        },
        onResponseStart(_, status, received) {
          // 1xx precede the answer.
          if (status < 200) return;
          answer = { status, headers: joined(received), bytes: new Uint8Array() };
          chunks = [];
          size = 0;
          is_discarded = isDiscarded(status, answer.headers);
          if (is_discarded) limit = MAX_DISCARDED_BYTES;
        },
        onResponseData(current, chunk) {
          size += chunk.length;
          if (size > limit) return current.abort(tooLarge(limit));
          if (!is_discarded) chunks.push(chunk);
        },
        onResponseEnd() {
          end(() => answer ? resolve({ ...answer, bytes: joinedChunks(chunks) }) : reject(new Error("no answer")));
        },
        onResponseError(_, error) {
          end(() => answer && is_discarded ? resolve(answer) : reject(error));
        },
      });
    } catch (error) {
      end(() => reject(error));
    }
  });
}

function joined(received: IncomingHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in received) {
    const value = received[name];
    headers[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value ?? "";
  }
  return headers;
}
