/** Tells the person who started the server that `ADMIN_PASSWORD` is weak. Scripts rely on it, so it is not refused. */
import type { Config } from "../config.ts";
import { faultOf, type Log } from "../log.ts";
import { createPasswordStrength } from "../secrets/password_strength.ts";

/** To be called after the first start, when the password has become the first admin's. */
export async function warnOfWeakPassword({ admin: { email, password } }: Pick<Config, "admin">, log: Log) {
  if (password === undefined) return;
  const strength = createPasswordStrength();
  try {
    const reason = await strength.weaknessOf(0, password, [email, ...email.split(/[@.]/)]);
    if (reason !== undefined) log.warn("ADMIN_PASSWORD is easy to guess: change it", { reason });
  } catch (error) {
    log.warn("the strength of ADMIN_PASSWORD could not be checked", faultOf(error));
  } finally {
    await strength.close();
  }
}
