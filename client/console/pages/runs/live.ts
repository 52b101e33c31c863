/** Follows runs as the server reports their changes. */
import { followStream } from "../../sse.ts";
import { viewedAs } from "../../viewing.svelte.ts";

/**
 * Calls `onevent` for each event. No stream is answered as another person.
 *
 * @param id one run with its steps; otherwise all runs
 * @returns stops it
 */
export const follow = (id: string | undefined, onevent: (event: string, data: unknown) => void): () => void =>
  viewedAs()
    ? () => {}
    : followStream(`/connect/flow_processes/changes${id === undefined ? "" : `?id=${id}`}`, id !== undefined, onevent);
