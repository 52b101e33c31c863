/** Passwords that people choose. Every one of them becomes a hash here, and easily guessed ones are refused. */
import type { Context } from "../../context.ts";
import { invalid } from "../../errors.ts";

/** What a user is called. An attacker tries these words first. */
export interface Names {
  login: string;
  email: string;
  name: string;
}

/**
 * @param field of the password in the request
 * @throws {Refusal} 422; 503
 */
export async function hashOfNewPassword(
  { passwords, strength }: Pick<Context, "passwords" | "strength">,
  account: number,
  password: string,
  names: Names,
  field = "password",
): Promise<string> {
  const weakness = await strength.weaknessOf(account, password, wordsOf(names));
  if (weakness !== undefined) throw invalid({ [field]: [`is too easy to guess. ${weakness}`] });
  return await passwords.hash(password);
}

/** The names and their parts: of `ada.lovelace@example.com` also `ada.lovelace`, `adalovelace`, `ada` and `example`. */
function wordsOf({ login, email, name }: Names): string[] {
  const whole = [login, email, name].flatMap((text) => [text, text.replace(/@.*$/, "")]);
  const parts = whole.map((text) => text.split(/[^\p{L}\p{N}]+/u));
  const words = [...whole, ...parts.map((some) => some.join("")), ...parts.flat()].filter((word) => word.length > 2);
  return [...new Set(words.map((word) => word.toLowerCase()))];
}
