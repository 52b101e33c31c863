import type { Context } from "../../context.ts";
import { invalid, notFound } from "../../errors.ts";
import type { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { resetFeedsOf } from "../../store/store.ts";
import { updateMainDepartment } from "../departments/queries.ts";
import { hasSignedInAdmin } from "../identities/queries.ts";
import { mayTakeHost } from "./host.ts";
import { findAccountSite, lockAccount, updateAccount } from "./queries.ts";
import type { Account, AccountChanges } from "./schema.ts";

/** Takes the account's lock, because creating a department reads and may change the mode. */
export async function changeAccount(ctx: Context, changes: AccountChanges): Promise<Json<Account>> {
  const { account_id } = ctx.viewer;
  const changed = await ctx.sql.begin(async (sql) => {
    await lockAccount(sql, account_id);
    const { main_department_id } = changes;
    if (main_department_id !== undefined && !await updateMainDepartment(sql, account_id, main_department_id)) {
      throw invalid({ main_department_id: ["must exist"] });
    }
    if (changes.sign_in?.oidc_only) await proveAdminSignsIn(ctx, sql);
    if (changes.host) await proveHost(ctx, sql, changes.host);
    if (changes.departments !== undefined) await resetFeedsOf(sql, account_id);
    return await updateAccount(sql, account_id, changes);
  });
  ctx.viewers.forget();
  ctx.limits.forget(account_id);
  if (changes.host !== undefined) ctx.pages.forgetHosts();
  if (!changed) throw notFound("Account");
  return changed;
}

/** An account keeps the host that it has. @throws {Refusal} 422 */
async function proveHost({ viewer, config }: Context, sql: Sql, host: string): Promise<void> {
  if ((await findAccountSite(sql, viewer.account_id))?.host === host) return;
  if (await mayTakeHost({ sql, viewer, config }, host)) return;
  throw invalid({ host: ["is the server's own host, which belongs to the oldest account"] });
}

/**
 * With OpenID Connect only, an account needs an admin who can sign in that way.
 *
 * @throws {Refusal} 422
 */
async function proveAdminSignsIn({ identity_provider, viewer }: Context, sql: Sql): Promise<void> {
  const fault = (message: string) => invalid({ "sign_in.oidc_only": [message] });
  if (!identity_provider) throw fault("needs OIDC_ISSUER in the server's configuration");
  if (!await hasSignedInAdmin(sql, viewer.account_id, identity_provider.issuer)) {
    throw fault("needs a sign-in of an admin with OpenID Connect first");
  }
}
