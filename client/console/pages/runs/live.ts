/** Follows runs as the server reports their changes. */
import { followStream } from "../../sse.ts";

/**
 * Calls `onevent` for each event.
 *
 * @param id one run with its steps; otherwise all runs
 * @returns stops it
 */
export const follow = (id: string | undefined, onevent: (event: string, data: unknown) => void): () => void =>
  followStream(`/connect/flow_processes/changes${id === undefined ? "" : `?id=${id}`}`, id !== undefined, onevent);
