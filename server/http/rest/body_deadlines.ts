/** The time limit of request bodies. */
import { setDeadline } from "../../fairness/deadlines.ts";
import { Refusal } from "../../errors.ts";

export interface BodyDeadlines {
  /** @throws {Refusal} 408 where the work takes longer than the limit; it is not aborted */
  within<T>(work: Promise<T>): Promise<T>;
}

const LIMIT_MS = 30_000;

/** A body that has arrived is read within so many microtasks. A timer for it would cost more than to read it. */
const MICROTASKS = 8;

export const createBodyDeadlines = (limit_ms = LIMIT_MS): BodyDeadlines => ({
  async within(work) {
    let is_done = false;
    const end = () => void (is_done = true);
    work.then(end, end);
    for (let waited = 0; waited < MICROTASKS && !is_done; waited++) await null;
    return is_done ? await work : await withDeadline(work, limit_ms);
  },
});

const withDeadline = <T>(work: Promise<T>, limit_ms: number): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = () => reject(new Refusal(408, "The body took too long", { headers: { connection: "close" } }));
    const takeBack = setDeadline(limit_ms, late);
    work.then((value) => {
      takeBack();
      resolve(value);
    }, (error) => {
      takeBack();
      reject(error);
    });
  });
