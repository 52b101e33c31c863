/** Work that runs at once up to a limit, and up to a smaller one an account; what waits is taken account by account. */
export interface Turns {
  /** Begins now or later; never rejects. */
  take(account: number, work: () => Promise<void>): void;
  /** What waits or runs, of one account or of all. */
  count(account?: number): number;
  /** Forgets what waits. */
  drain(): void;
}

export function createTurns(limits: { total: number; per_account: number }): Turns {
  // The account whose turn it was goes to the end.
  const waiting = new Map<number, (() => Promise<void>)[]>();
  const running = new Map<number, number>();
  let total_running = 0;
  let total_waiting = 0;

  const next = (): [number, () => Promise<void>] | undefined => {
    if (total_running >= limits.total || total_waiting === 0) return undefined;
    for (const [account, works] of waiting) {
      if ((running.get(account) ?? 0) >= limits.per_account) continue;
      const work = works.shift();
      waiting.delete(account);
      if (works.length > 0) waiting.set(account, works);
      if (work) return [account, work];
    }
    return undefined;
  };

  const begin = () => {
    for (let turn = next(); turn; turn = next()) {
      const [account, work] = turn;
      total_waiting--;
      total_running++;
      running.set(account, (running.get(account) ?? 0) + 1);
      const end = () => {
        total_running--;
        const left = (running.get(account) ?? 1) - 1;
        if (left > 0) running.set(account, left);
        else running.delete(account);
        begin();
      };
      void work().then(end, end);
    }
  };

  return {
    take(account, work) {
      const works = waiting.get(account);
      if (works) works.push(work);
      else waiting.set(account, [work]);
      total_waiting++;
      begin();
    },
    count: (account) =>
      account === undefined
        ? total_running + total_waiting
        : (running.get(account) ?? 0) + (waiting.get(account)?.length ?? 0),
    drain() {
      waiting.clear();
      total_waiting = 0;
    },
  };
}
