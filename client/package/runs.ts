/** Runs of flows as they progress. */
import { followEvents } from "../app/subscribe.js";
import { ending } from "./database.ts";
import type { Run, Runs } from "./types/index.d.ts";
import type { Transport } from "./transport.ts";

const hasEnded = ({ status }: Run) => status !== "pending" && status !== "waiting";

export const runsOf = ({ send }: Transport): Runs => ({
  subscribe(listener, options = {}) {
    const { id, onState } = options;
    let began = false;
    let last: Run | undefined;
    const query = id === undefined ? "" : `?id=${encodeURIComponent(id)}`;
    const stop = followEvents(`/connect/flow_processes/changes${query}`, send, {
      onEvent({ event, data }) {
        if (event === "ready") {
          // The stream of runs has no numbers: a second connection begins anew.
          listener({ kind: began ? "reset" : "ready" });
          began = true;
          return;
        }
        const run: Run = data;
        last = run;
        listener({ kind: "run", run });
      },
      onRefusal: (error) => listener({ kind: "error", error: error as never }),
      onState,
      isOver: () => id !== undefined && last !== undefined && hasEnded(last),
    });
    return ending(stop, options);
  },
});
