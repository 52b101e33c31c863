/** Requests to cancel runs, in Deno KV, where the process that owns the run finds them. */
import type { Commits } from "./group_commit.ts";
import { cancelKey, KEY_KEPT_MS } from "./kv_keys.ts";

/** Keys that `Deno.Kv.getMany` takes. */
const MOST_READ = 10;

export type CancelStore = ReturnType<typeof createCancelStore>;

interface Question {
  id: string;
  resolve(is_requested: boolean): void;
  reject(error: unknown): void;
}

export function createCancelStore(kv: Deno.Kv, { commit }: Commits) {
  const questions: Question[] = [];
  let reading = false;

  const areRequested = async (ids: readonly string[]): Promise<boolean[]> =>
    (await kv.getMany<true[]>(ids.map(cancelKey))).map(({ value }) => value === true);

  const readAll = async () => {
    reading = true;
    while (questions.length > 0) {
      const batch = questions.splice(0, MOST_READ);
      try {
        const answers = await areRequested(batch.map(({ id }) => id));
        batch.forEach(({ resolve }, at) => resolve(answers[at] === true));
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    reading = false;
  };

  return {
    async request(id: string): Promise<void> {
      await commit({ sets: [{ key: cancelKey(id), value: true, expires_ms: KEY_KEPT_MS }] });
    },

    /** Asked before each effect. Questions that are asked during a read share the next one, so each answer is new. */
    has: (id: string): Promise<boolean> =>
      new Promise((resolve, reject) => {
        questions.push({ id, resolve, reject });
        // A microtask later, so that runs whose heads were stored by one commit share the read.
        if (!reading && questions.length === 1) queueMicrotask(() => void readAll());
      }),

    /** The runs among `ids` with a request. */
    async filter(ids: readonly string[]): Promise<string[]> {
      const pages = Array.from(
        { length: Math.ceil(ids.length / MOST_READ) },
        (_, page) => ids.slice(page * MOST_READ, (page + 1) * MOST_READ),
      );
      const found = await Promise.all(pages.map(areRequested));
      return found.flatMap((answers, page) => pages[page]?.filter((_, at) => answers[at]) ?? []);
    },
  };
}
