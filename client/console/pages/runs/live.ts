/** Follows runs as the server reports their changes. */
import { followStream, whileVisible } from "../../sse.ts";
import { viewedAs } from "../../viewing.svelte.ts";

/**
 * Calls `onevent` for each event while the page is visible: each stream begins with what is there. No stream is answered
 * as another person.
 *
 * @param id one run with its steps; otherwise all runs
 * @returns stops it
 */
export function follow(id: string | undefined, onevent: (event: string, data: unknown) => void): () => void {
  if (viewedAs()) return () => {};
  const address = `/connect/flow_processes/changes${id === undefined ? "" : `?id=${id}`}`;
  return whileVisible(() => followStream(address, id !== undefined, onevent));
}
