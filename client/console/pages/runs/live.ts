/** Follows runs as the server reports their changes. */
import { viewedFetch } from "../../api.ts";
import { eventsOf } from "../../sse.ts";

const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 15_000;

/**
 * Calls `onevent` for each event, and connects again when the connection is lost.
 *
 * @param id one run with its steps; otherwise all runs
 * @returns stops it
 */
export function follow(id: string | undefined, onevent: (event: string, data: unknown) => void): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  const work = async () => {
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
      try {
        const query = id === undefined ? "" : `?id=${id}`;
        const answer = await viewedFetch(`/connect/flow_processes/changes${query}`, { signal });
        // What is not there, or not for this person, does not come by asking again.
        if (!answer.ok && answer.status < 500) return;
        if (answer.ok && answer.body) {
          for await (const { event, data } of eventsOf(answer.body)) {
            if (signal.aborted) return;
            pause = FIRST_PAUSE_MS;
            onevent(event, data);
          }
          if (id !== undefined) return;
        }
      } catch {
        // The connection was lost, or the page has been left.
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  void work();
  return () => leaving.abort();
}
