/**
 * The fair limiter: bounds how much work runs and how much waits, in total and per account. Accounts take turns
 * (round-robin), so an account with a long queue cannot starve the others.
 *
 * `createFairQueue` is for callers that fetch work when they have capacity (compile workers, the scheduler's tick).
 * `createFairLimiter` adds concurrency limits and starts the work itself (flow runs, connector calls, password hashes).
 */

export interface WaitingLimits {
  /** Waiting jobs of all accounts. One account gets at most half of the room that the others leave. */
  waiting?: number;
  /** Waiting jobs of one account. */
  waiting_per_account?: number;
}

/** @typeParam Key an account, or what else takes turns */
export interface FairQueue<Job, Key = number> {
  /** @returns false if the queue, or the account's share of it, is full */
  push(account: Key, job: Job): boolean;
  /** Takes the oldest job of the account whose turn it is. @param may_run skips accounts for which it returns false */
  next(may_run?: (account: Key) => boolean): { account: Key; job: Job } | undefined;
  /** Whether `next` would return a job. */
  has(may_run: (account: Key) => boolean): boolean;
  /** Removes a job. @returns false if it no longer waits */
  remove(account: Key, job: Job): boolean;
  /** Removes all waiting jobs and returns them. */
  drain(): Job[];
  count(account: Key): number;
  readonly size: number;
}

export function createFairQueue<Job, Key = number>(limits: WaitingLimits = {}): FairQueue<Job, Key> {
  const { waiting: most = Infinity, waiting_per_account: most_per_account = Infinity } = limits;
  // In the order of turns: an account moves to the end of the Map when one of its jobs is taken.
  const waiting = new Map<Key, Job[]>();
  let size = 0;

  return {
    push(account, job) {
      const jobs = waiting.get(account) ?? [];
      const left_by_others = most - (size - jobs.length);
      if (size >= most || jobs.length >= left_by_others / 2 || jobs.length >= most_per_account) return false;
      if (jobs.push(job) === 1) waiting.set(account, jobs);
      size++;
      return true;
    },
    next(may_run = () => true) {
      for (const [account, jobs] of waiting) {
        if (!may_run(account)) continue;
        const job = jobs.shift();
        waiting.delete(account);
        if (jobs.length > 0) waiting.set(account, jobs);
        size--;
        return job === undefined ? undefined : { account, job };
      }
      return undefined;
    },
    has: (may_run) => waiting.keys().some(may_run),
    remove(account, job) {
      const jobs = waiting.get(account);
      const at = jobs?.indexOf(job) ?? -1;
      if (!jobs || at < 0) return false;
      jobs.splice(at, 1);
      if (jobs.length === 0) waiting.delete(account);
      size--;
      return true;
    },
    drain() {
      const jobs = [...waiting.values()].flat();
      waiting.clear();
      size = 0;
      return jobs;
    },
    count: (account) => waiting.get(account)?.length ?? 0,
    get size() {
      return size;
    },
  };
}

export interface FairLimits extends WaitingLimits {
  /** Jobs of all accounts that run at once. */
  total?: number;
  /** Jobs of one account that run at once. */
  per_account?: number;
}

/** Too many jobs wait already. */
export class LimiterFull extends Error {}

export interface FairLimiter<Key = number> {
  /**
   * Resolves when it is the account's turn.
   *
   * @returns ends the turn; to be called exactly once
   * @throws the signal's reason, if the signal aborts before the turn comes
   * @throws {LimiterFull}
   */
  acquire(account: Key, signal?: AbortSignal): Promise<() => void>;
  /**
   * Runs the work now or when its turn comes. A rejection of the work ends its turn and is otherwise ignored.
   *
   * @throws {LimiterFull}
   */
  run(account: Key, work: () => Promise<void>): void;
  /** Jobs that wait or run, of one account or of all. */
  count(account?: Key): number;
  /** Drops the work that waits. A pending `acquire` is rejected. */
  drain(): void;
}

interface Job {
  begin(end: () => void): void;
  drop?(): void;
}

export function createFairLimiter<Key = number>(limits: FairLimits): FairLimiter<Key> {
  const { total = Infinity, per_account = Infinity } = limits;
  const queue = createFairQueue<Job, Key>(limits);
  const running = new Map<Key, number>();
  let total_running = 0;

  const mayRun = (account: Key) => total_running < total && (running.get(account) ?? 0) < per_account;

  function begin(account: Key, job: Job): void {
    total_running++;
    running.set(account, (running.get(account) ?? 0) + 1);
    job.begin(() => {
      total_running--;
      const left = (running.get(account) ?? 1) - 1;
      if (left > 0) running.set(account, left);
      else running.delete(account);
      beginWaiting();
    });
  }

  function beginWaiting(): void {
    while (total_running < total) {
      const turn = queue.next(mayRun);
      if (!turn) return;
      begin(turn.account, turn.job);
    }
  }

  function add(account: Key, job: Job): void {
    // No job of an account that may run is waiting, so this one overtakes none.
    if (mayRun(account)) begin(account, job);
    else if (!queue.push(account, job)) throw new LimiterFull("too many jobs wait");
  }

  return {
    async acquire(account, signal) {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      // Without a wait the signal is not needed, and a listener costs more than the rest.
      if (mayRun(account)) {
        begin(account, { begin: resolve });
        return await promise;
      }
      const job: Job = { begin: resolve, drop: () => reject(new Error("the limiter was drained")) };
      add(account, job);
      const leave = () => {
        queue.remove(account, job);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      return await promise.finally(() => signal?.removeEventListener("abort", leave));
    },
    run: (account, work) => add(account, { begin: (end) => void work().then(end, end) }),
    count: (account) =>
      account === undefined ? total_running + queue.size : (running.get(account) ?? 0) + queue.count(account),
    drain() {
      for (const { drop } of queue.drain()) drop?.();
    },
  };
}
