/** Waits for conditions. A test waits for what it needs, never for a length of time. */

/** Long, because it is used up only by a test that fails, and CI machines are busy. */
const PATIENCE_MS = 30_000;
const EVERY_MS = 20;

/**
 * Waits until a condition holds.
 *
 * @param what completes the sentence "waited in vain until …"
 * @throws {Error} if it does not hold within `patience_ms`
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  patience_ms = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patience_ms;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error(`waited ${patience_ms} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

/** Waits until a moment has passed by this machine's clock, such as the end of a token. */
export const untilPassed = (moment: string | Date): Promise<void> =>
  until(() => Date.now() > new Date(moment).getTime(), `${moment} has passed`);

/**
 * Runs work that counts what happens within one minute of the clock. An attempt that fails is repeated if the minute
 * ended during it.
 */
export async function inOneMinute(work: () => Promise<void>): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const began = minute();
    try {
      return await work();
    } catch (error) {
      if (minute() === began) throw error;
    }
  }
}
