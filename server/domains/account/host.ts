/**
 * Which account may have a host. Whoever has the host of `BASE_URL` has the sign-in page, the public apps and the sign-ins
 * with OpenID Connect there, so that only the account that owns the server takes it. An operator may give it to another
 * one: `deno task account create --host`.
 */
import type { Sql } from "../../database/pool.ts";
import { isOperator } from "../../operator.ts";
import type { Viewer } from "../../viewer.ts";

/** @param host as an account has it */
export async function mayTakeHost(
  { sql, viewer, config }: { sql: Sql; viewer: Viewer; config: { base_url: string } },
  host: string,
): Promise<boolean> {
  return !isHostOf(config.base_url, host) || await isOperator(sql, viewer);
}

/** Whether requests to the host of `base_url` would belong to an account with this host. One without a port fits each. */
export function isHostOf(base_url: string, host: string): boolean {
  const base = new URL(base_url);
  const named = `${base.protocol}//${host}`;
  return host === base.hostname || URL.canParse(named) && new URL(named).host === base.host;
}
