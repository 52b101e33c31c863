/** What several tests of an isolate use, such as a server: opened for the first of them and closed after the last. */

export interface Shared<T> {
  /** Called once for each test that is declared. */
  expect(): void;
  /** Called by each of these tests, one after the other. */
  use(work: (value: T) => Promise<void>): Promise<void>;
}

export function share<T>(open: () => Promise<T>, close: (value: T) => Promise<void>): Shared<T> {
  let expected = 0;
  let opened: Promise<T> | undefined;
  const end = async () => {
    const value = opened;
    opened = undefined;
    if (value) await close(await value);
  };
  // With `--filter`, the last test may be one that does not run.
  Deno.test.afterAll(end);
  return {
    expect: () => void expected++,
    async use(work) {
      try {
        await work(await (opened ??= open()));
      } finally {
        if (--expected === 0) await end();
      }
    },
  };
}
