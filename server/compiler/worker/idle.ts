/** What a process does when nobody has wanted anything of it for a while. */
export interface Pause {
  /** Without work for so long. */
  after_ms: number;
  /** What fails here fails again where it is wanted, and is told there. */
  work: () => Promise<void> | void;
}

export interface Pauses {
  begin(): void;
  end(): void;
}

/** @param pauses the shortest first; each is worked through once a pause */
export function createPauses(pauses: readonly Pause[]): Pauses {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let count = 0;

  function wait(pause: number, next: number, waited_ms: number) {
    const { after_ms, work } = pauses[next] ?? {};
    if (after_ms === undefined || work === undefined) return;
    timer = setTimeout(async () => {
      await Promise.resolve().then(work).catch(() => {});
      if (pause === count) wait(pause, next + 1, after_ms);
    }, after_ms - waited_ms);
  }

  function end() {
    count++;
    clearTimeout(timer);
  }

  return {
    begin() {
      end();
      wait(count, 0, 0);
    },
    end,
  };
}

/** Work that is done the first time only. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => done ??= work();
}
