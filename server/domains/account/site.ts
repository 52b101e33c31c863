/** Where an account is reached. */
import type { Context } from "../../context.ts";
import { findAccountSite } from "./queries.ts";

/** A host of its own has the port of `base_url`, unless it names one. */
export function originOf(base_url: string, host: string | null): string {
  if (host === null) return base_url;
  const { protocol, port } = new URL(base_url);
  return `${protocol}//${host}${port === "" || host.includes(":") ? "" : `:${port}`}`;
}

/** The address at which members of an account sign in: `BASE_URL` where it is theirs, else the account's own host. */
export async function signInOrigin(
  { sql, pages, config: { base_url } }: Pick<Context, "sql" | "pages" | "config">,
  account: number,
): Promise<string> {
  if (await pages.accountOf(new URL(base_url).host) === account) return base_url;
  return originOf(base_url, (await findAccountSite(sql, account))?.host ?? null);
}
