/** The time limit of request bodies. */
import { createDeadlines } from "../../fairness/deadlines.ts";
import { Refusal } from "../../errors.ts";

export interface BodyDeadlines {
  /** @throws {Refusal} 408 where the work takes longer than the limit; it is not aborted */
  within<T>(work: Promise<T>): Promise<T>;
}

const LIMIT_MS = 30_000;

export function createBodyDeadlines(limit_ms = LIMIT_MS): BodyDeadlines {
  const setDeadline = createDeadlines(limit_ms);
  return {
    within: (work) =>
      new Promise((resolve, reject) => {
        const late = () => reject(new Refusal(408, "The body took too long", { headers: { connection: "close" } }));
        const takeBack = setDeadline(late);
        work.then((value) => {
          takeBack();
          resolve(value);
        }, (error) => {
          takeBack();
          reject(error);
        });
      }),
  };
}
