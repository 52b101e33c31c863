/**
 * This process, as the others know it: a name that it proves to live by. One that says nothing for long is declared
 * dead, and whoever declared it so takes its runs. One that was only slow finds out, and takes another name.
 */
import type { RunStore } from "../storage/run_store.ts";

export interface Owner {
  /** Its name, under which the others believe it to live. @throws {Refusal} 503 where that cannot be said */
  prove(): Promise<string>;
  /** Nothing is begun any more, and its runs are anybody's. */
  end(): Promise<void>;
}

interface Told {
  /** The others have declared this process dead. */
  lost(): void;
  /** A word could not be said. */
  silent(error: unknown): void;
}

/** @param lease_ms how long the others wait for another word; it is said in a third of that */
export function createOwner(
  store: Pick<RunStore, "sayAlive" | "bury">,
  lease_ms: number,
  { lost, silent }: Told,
): Owner {
  let name = crypto.randomUUID();
  let versionstamp: string | null = null;
  /** By this process's own clock, which nobody sets. */
  let sure_until = -Infinity;
  let saying: Promise<void> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  const say = async () => {
    const asked = performance.now();
    const said = await store.sayAlive(name, versionstamp);
    if (said === undefined) {
      // Declared dead: whatever it had in hand is another's.
      lost();
      name = crypto.randomUUID();
      versionstamp = null;
      return await say();
    }
    versionstamp = said;
    // A sixth stays for what is on its way.
    sure_until = asked + lease_ms * 5 / 6;
  };

  const renew = () => saying ??= say().finally(() => saying = undefined);

  return {
    async prove() {
      timer ??= setInterval(() => void renew().catch(silent), lease_ms / 3);
      if (performance.now() < sure_until) return name;
      await renew();
      return name;
    },
    async end() {
      clearInterval(timer);
      await saying?.catch(() => {});
      sure_until = -Infinity;
      if (versionstamp !== null) await store.bury({ name, versionstamp }).catch(() => false);
    },
  };
}
