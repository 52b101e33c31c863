import { notify } from "../../../notices.svelte.ts";

export type RangeEdits = typeof import("./range_edits.ts");

/** The changes of ranges; undefined where they could not be loaded, which is said. */
export const loadEdits = (): Promise<RangeEdits | undefined> =>
  import("./range_edits.ts").catch(() => {
    notify("This part of the page could not be loaded. Try again.", { kind: "failed" });
    return undefined;
  });
