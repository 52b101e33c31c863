/** Requests to cancel runs, in Deno KV, where the process that owns the run finds them. */
import type { Commits } from "./group_commit.ts";
import { cancelKey, KEY_KEPT_MS } from "./kv_keys.ts";

/** Keys that `Deno.Kv.getMany` takes. */
const MOST_READ = 10;

export type CancelStore = ReturnType<typeof createCancelStore>;

export const createCancelStore = (kv: Deno.Kv, { commit }: Commits) => ({
  async request(id: string): Promise<void> {
    await commit({ sets: [{ key: cancelKey(id), value: true, expires_ms: KEY_KEPT_MS }] });
  },

  has: async (id: string): Promise<boolean> => (await kv.get(cancelKey(id))).value === true,

  /** The runs among `ids` with a request. */
  async filter(ids: readonly string[]): Promise<string[]> {
    const pages = Array.from(
      { length: Math.ceil(ids.length / MOST_READ) },
      (_, page) => ids.slice(page * MOST_READ, (page + 1) * MOST_READ),
    );
    const found = await Promise.all(pages.map((page) => kv.getMany<true[]>(page.map(cancelKey))));
    return found.flatMap((entries, page) => pages[page]?.filter((_, at) => entries[at]?.value === true) ?? []);
  },
});
