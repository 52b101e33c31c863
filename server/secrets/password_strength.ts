/**
 * Judges how easily a new password can be guessed. The dictionaries take 100 MB and a password up to a second, so this
 * happens in a thread of its own, which starts with the first question and ends when it is idle.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { unavailable } from "../errors.ts";
import { createFairLimiter, LimiterFull } from "../fairness/fair_limiter.ts";
import type { Question } from "./password_strength_thread.ts";

/** The effort grows faster than the length, and a password that is strong so far stays strong. */
const READ_CHARACTERS = 64;
const WORDS = 30;
const IDLE_MS = 30_000;
/** Only a thread that hangs takes longer. */
const LONGEST_MS = 120_000;
const WAITING = 100;

/** The thread's answer: why the password is easy to guess, as a sentence, or null. */
const Weakness = z.string().nullable();

export interface PasswordStrength {
  /**
   * @param account whose turn it is
   * @param words that an attacker would try first, such as the user's name
   * @returns why the password is easy to guess, as a sentence; undefined if it is not
   * @throws {Refusal} 503
   */
  weaknessOf(account: number, password: string, words?: readonly string[]): Promise<string | undefined>;
  close(): Promise<void>;
}

export function createPasswordStrength(): PasswordStrength {
  const limiter = createFairLimiter({ total: 1, waiting: WAITING });
  let thread: Worker | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const stop = async () => {
    clearTimeout(idle);
    const stopped = thread;
    thread = undefined;
    await stopped?.terminate();
  };

  async function ask(question: Question): Promise<string | null> {
    clearTimeout(idle);
    thread ??= new Worker(new URL("./password_strength_thread.ts", import.meta.url));
    const patience = new AbortController();
    const limit = setTimeout(() => patience.abort(), LONGEST_MS);
    try {
      thread.postMessage(question);
      const [answer] = await once(thread, "message", { signal: patience.signal });
      idle = setTimeout(() => void stop(), IDLE_MS);
      return Weakness.parse(answer);
    } catch (error) {
      await stop();
      throw unavailable("The strength of the password could not be checked", error);
    } finally {
      clearTimeout(limit);
    }
  }

  return {
    async weaknessOf(account, password, words = []) {
      const end = await limiter.acquire(account).catch((error) => {
        throw error instanceof LimiterFull ? unavailable("Too many passwords are being checked") : error;
      });
      try {
        return await ask({ password: beginning(password), words: words.slice(0, WORDS).map(beginning) }) ?? undefined;
      } finally {
        end();
      }
    },
    close: stop,
  };
}

const beginning = (text: string) => text.slice(0, READ_CHARACTERS);
