/** Waiting work, bounded, and shared out fairly: each account's next job in turn, whoever has sent more. */
export interface Queue<Job> {
  /** False where the queue is full. */
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
      if (size >= limit) return false;
      const jobs = waiting.get(account);
      if (jobs) jobs.push(job);
      else waiting.set(account, [job]);
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
