/**
 * Which account may have a host. The account with the host of `BASE_URL` has the sign-in page, the public apps and the
 * sign-ins with OpenID Connect there. The account with a host of `APPS_ORIGIN` has the public methods that apps call there.
 * So only the account that owns the server takes such hosts. An operator may give them to another account:
 * `deno task account create --host`.
 */
import type { AppsSite } from "../../apps_site.ts";
import type { Sql } from "../../database/pool.ts";
import { isOperator } from "../../operator.ts";
import type { Viewer } from "../../viewer.ts";

interface Site extends AppsSite {
  base_url: string;
}

/** @param host as an account has it */
export async function mayTakeHost(
  { sql, viewer, config }: { sql: Sql; viewer: Viewer; config: Site },
  host: string,
): Promise<boolean> {
  return !isServers(config, host) || await isOperator(sql, viewer);
}

/** Whether requests to a host of the server's own would belong to an account with this host. */
export function isServers({ base_url, apps_origin }: Site, host: string): boolean {
  if (isHostOf(base_url, host)) return true;
  if (apps_origin === undefined) return false;
  const [, domain] = apps_origin.split("//*");
  return domain === undefined
    ? isHostOf(apps_origin, host)
    : host.replace(/:\d+$/, "").endsWith(domain.replace(/:\d+$/, ""));
}

/** A host without a port fits each port. */
function isHostOf(address: string, host: string): boolean {
  const { protocol, hostname, host: own } = new URL(address);
  const named = `${protocol}//${host}`;
  return host === hostname || URL.canParse(named) && new URL(named).host === own;
}
