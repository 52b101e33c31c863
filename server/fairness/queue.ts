/** Waiting work, bounded, and shared out fairly: each account's next job in turn, whoever has sent more. */
export interface Queue<Job> {
  /**
   * False where the queue is full, or would hold more of this account's than half of what the others leave: however
   * much one sends, another still gets in.
   */
  push(account: number, job: Job): boolean;
  next(): Job | undefined;
  /** Empties the queue. */
  drain(): Job[];
  readonly size: number;
}

export function createQueue<Job>(limit: number): Queue<Job> {
  // An account is moved to the end of the Map when one of its jobs is taken.
  const waiting = new Map<number, Job[]>();
  let size = 0;

  function next(): Job | undefined {
    for (const [account, jobs] of waiting) {
      waiting.delete(account);
      const job = jobs.shift();
      if (jobs.length > 0) waiting.set(account, jobs);
      size--;
      return job;
    }
    return undefined;
  }

  return {
    push(account, job) {
      const jobs = waiting.get(account) ?? [];
      const left_by_others = limit - (size - jobs.length);
      if (size >= limit || jobs.length >= left_by_others / 2) return false;
      if (jobs.push(job) === 1) waiting.set(account, jobs);
      size++;
      return true;
    },
    next,
    drain() {
      const jobs = [...waiting.values()].flat();
      waiting.clear();
      size = 0;
      return jobs;
    },
    get size() {
      return size;
    },
  };
}
