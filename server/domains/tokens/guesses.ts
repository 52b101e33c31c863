/**
 * Limits how many wrong tokens one address may try, in the memory of this process. A token that was valid here before is
 * not limited, so that a guessing neighbour behind the same address does not lock out others.
 */
import { bounded } from "../../remembered.ts";
import type { Clock } from "../../context.ts";
import { Refusal } from "../../errors.ts";
import { countedAs } from "../../fairness/counted_as.ts";

/** Different wrong tokens of one address in one minute. A client that repeats one wrong token is never limited. */
export const MOST_GUESSES = 30;
const MOST_ADDRESSES = 10_000;
const MOST_PROVEN = 10_000;
const MINUTE_MS = 60_000;

export interface Guesses {
  /**
   * @param find looks the token up
   * @throws {Refusal} 429 without looking it up, after too many wrong tokens
   */
  limited<Found>(token: string, address: string, find: () => Promise<Found | undefined>): Promise<Found | undefined>;
}

interface Guessed {
  minute: number;
  tokens: Set<string>;
}

export function createGuesses(clock: Clock): Guesses {
  const by_address = bounded<string, Guessed>(MOST_ADDRESSES);
  const proven = bounded<string, true>(MOST_PROVEN);

  const guessedBy = (address: string, minute: number): Guessed => {
    const key = countedAs(address);
    const known = by_address.get(key);
    if (known?.minute === minute) return known;
    const guessed = { minute, tokens: new Set<string>() };
    by_address.set(key, guessed);
    return guessed;
  };

  return {
    async limited(token, address, find) {
      if (proven.get(token)) return await find();
      const now = clock.now().getTime();
      const { tokens } = guessedBy(address, Math.floor(now / MINUTE_MS));
      if (!tokens.has(token) && tokens.size >= MOST_GUESSES) {
        const retry_after = Math.ceil((MINUTE_MS - now % MINUTE_MS) / 1000);
        throw new Refusal(429, "Too many wrong access tokens", { headers: { "retry-after": String(retry_after) } });
      }
      // Counted before the look-up, so that guesses at the same time count, too.
      tokens.add(token);
      const found = await find();
      if (found !== undefined) {
        proven.set(token, true);
        tokens.delete(token);
      }
      return found;
    },
  };
}
