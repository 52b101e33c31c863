/** `account.json`, the first file of an archive: what it is, and the account's own settings. */
import { z } from "zod";
import type { Sql } from "../../../database/pool.ts";
import { badRequest, notFound } from "../../../errors.ts";
import { RateLimits } from "../../../fairness/rate_limits.ts";
import { fieldsOf, sentenceOf } from "../../../input/messages.ts";
import { Id } from "../../../input/shapes.ts";
import { AccountName, Host, Mode } from "../../account/schema.ts";
import { Hosts, UnknownUsers } from "../../embedding/schema.ts";
import type { Ids } from "./ids.ts";

export const MANIFEST = "account.json";
/** Changes when an older server could not read the archive. */
const FORMAT = "atrium account 1";

const Settings = z.object({
  name: AccountName,
  host: Host.nullable(),
  departments_mode: Mode,
  departments_mode_chosen: z.boolean(),
  main_department_id: Id.nullable(),
  rate_limits: RateLimits,
  embedding_hosts: Hosts,
  embedding_unknown_users: UnknownUsers,
  oidc_creates_users: z.boolean(),
});

const Manifest = z.object({
  format: z.literal(FORMAT),
  made_at: z.iso.datetime({ offset: true }),
  /** Of the server. */
  version: z.string(),
  records: z.boolean(),
  runs: z.boolean(),
  account: Settings,
  /** Names of the keys whose secrets stay behind. */
  embedding_keys: z.array(z.string()).max(1_000),
});
export type Manifest = z.output<typeof Manifest>;

export async function readManifest(
  sql: Sql,
  account_id: number,
  about: Pick<Manifest, "made_at" | "version" | "records" | "runs">,
): Promise<Manifest> {
  const [account] = await sql<Manifest["account"][]>`
    select name, host, departments_mode, departments_mode_chosen, main_department_id, rate_limits, embedding_hosts,
      embedding_unknown_users, oidc_creates_users
    from accounts
    where id = ${account_id}
  `;
  if (!account) throw notFound("Account");
  const keys = await sql<{ name: string }[]>`
    select name from embedding_keys where account_id = ${account_id} order by id limit 1000
  `;
  return { format: FORMAT, ...about, account, embedding_keys: keys.map(({ name }) => name) };
}

/** @throws {Refusal} 400 */
export function parseManifest(json: unknown): Manifest {
  const { data, error } = Manifest.safeParse(json);
  if (data) return data;
  const { format } = z.object({ format: z.unknown().optional() }).catch({}).parse(json);
  if (format !== FORMAT) {
    throw badRequest(`The file ${MANIFEST} says the format ${String(format)}, and this server reads ${FORMAT}`);
  }
  throw badRequest(`The file ${MANIFEST}: ${sentenceOf(fieldsOf(error.issues))}`);
}

/**
 * Makes the account's settings those of the archive. Whether only OpenID Connect signs in is left as it is: it could lock
 * out the admin who imports.
 *
 * @param host is taken where no account has it and this one has none
 */
export async function restoreAccount(
  sql: Sql,
  account_id: number,
  { account: { host: _, main_department_id, ...settings } }: Manifest,
  ids: Ids,
  host: string | null,
): Promise<void> {
  const json = JSON.stringify({ ...settings, main_department_id: ids.find("department", main_department_id) ?? null });
  await sql`
    update accounts a
    set
      (
        name, departments_mode, departments_mode_chosen, main_department_id, rate_limits, embedding_hosts,
        embedding_unknown_users, oidc_creates_users
      ) = (
        select name, departments_mode, departments_mode_chosen, main_department_id, rate_limits, embedding_hosts,
          embedding_unknown_users, oidc_creates_users
        from json_populate_record(null::accounts, ${json}::text::json)
      ),
      host = coalesce(
        a.host,
        (select ${host}::text where not exists (select from accounts taken where taken.host = ${host}::text))
      ),
      updated_at = now()
    where a.id = ${account_id}
  `;
}
