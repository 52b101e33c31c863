/** How many calls an account has at once. Those beyond wait, the one that came first goes first. */
import { ConnectorFault } from "./connectors.ts";

export interface Turns {
  /**
   * Resolves when it is the caller's turn.
   *
   * @returns ends the turn
   * @throws the signal's reason
   * @throws {ConnectorFault} where too many wait already
   */
  take(account: number, signal: AbortSignal): Promise<() => void>;
}

interface Account {
  busy: number;
  waiting: Set<() => void>;
}

export function createTurns(at_once: number, most_waiting: number): Turns {
  const accounts = new Map<number, Account>();

  function end(id: number, account: Account) {
    const [next] = account.waiting;
    if (next) {
      account.waiting.delete(next);
      next();
    } else if (--account.busy === 0) accounts.delete(id);
  }

  async function wait(account: Account, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const give_up = () => {
      account.waiting.delete(resolve);
      reject(signal.reason);
    };
    signal.addEventListener("abort", give_up, { once: true });
    account.waiting.add(resolve);
    await promise.finally(() => signal.removeEventListener("abort", give_up));
  }

  return {
    async take(id, signal) {
      signal.throwIfAborted();
      const account = accounts.get(id) ?? { busy: 0, waiting: new Set() };
      accounts.set(id, account);
      if (account.busy < at_once) account.busy++;
      else if (account.waiting.size < most_waiting) await wait(account, signal);
      else throw new ConnectorFault("network", `${at_once} calls are under way and ${most_waiting} wait already`);
      return () => end(id, account);
    },
  };
}
