/**
 * Which callers reach a public method: it must be enabled, and for members only where it says so. Visitors' writes are
 * limited per minute.
 */
import { actorOf } from "../../../actor.ts";
import type { Context } from "../../../context.ts";
import { forbidden, Refusal, unauthorized } from "../../../errors.ts";
import {
  countPublicWrite,
  type KnownDb,
  part,
  type Place,
  type PublicMethods,
  STALE,
  withDb,
} from "../../../store/store.ts";
import { allowCaller, type Caller, hiddenFrom, mayDo } from "../../../viewer.ts";
import { visible, visibleTo } from "../../../visibility.ts";
import { DbCode } from "../../dbs/db_code.ts";
import { tableOf } from "../tables.ts";

export type Method = keyof PublicMethods;

/** What a public method uses of a request. Its caller may be another one than the request's. */
export type PublicContext = Pick<Context, "sql" | "reads" | "writes" | "keys" | "dbs" | "clock" | "call" | "caller">;

/**
 * Refuses before the body is read, where the path names the database.
 *
 * @throws {Refusal} 401, 403, 404
 */
export async function proveMethod(ctx: Context, name: Method): Promise<void> {
  const { params } = ctx.call;
  if (params === undefined) return;
  const db_code = DbCode.safeParse(params.db_code);
  if (!db_code.success) throw hiddenFrom(ctx.caller.viewer, "Database");
  await proveEnabled(ctx, ctx.caller, db_code.data, name);
}

/** @throws {Refusal} 401 for a stranger to a private or missing database; 403, 404 */
export const proveEnabled = (ctx: Context, caller: Caller, db_code: string, name: Method): Promise<KnownDb> =>
  inEnabled(ctx, caller, db_code, name, (db) => Promise.resolve(db));

/** Runs `work` where the method is enabled. @throws {Refusal} 400, 401, 403, 404, 429 */
export async function inPublic<Name extends Method, Result>(
  ctx: PublicContext,
  db_code: string,
  name: Name,
  work: (place: Place, method: NonNullable<PublicMethods[Name]>) => Promise<Result | typeof STALE>,
): Promise<Result> {
  const { caller } = ctx;
  let counted = name === "list";
  return await inEnabled(ctx, caller, db_code, name, async (db, method) => {
    const table = tableOf(db, undefined);
    // Counted once, although the work starts again where the definition has changed.
    if (!counted && !caller.viewer) await countWrite(ctx, db, caller.address);
    counted = true;
    // No audit entry: the record itself has its time of creation, and a visitor has no login.
    const by = name === "create" && !caller.viewer ? undefined : actorOf(ctx.call);
    const allowed = method.members_only && caller.viewer ? visible(part, caller.viewer) : part`true`;
    return await work({ db, table, allowed, by }, method);
  });
}

/** @throws {Refusal} 401 for a stranger to a private or missing database; 403, 404 */
const inEnabled = <Name extends Method, Result>(
  { dbs }: PublicContext,
  caller: Caller,
  db_code: string,
  name: Name,
  work: (db: KnownDb, method: NonNullable<PublicMethods[Name]>) => Promise<Result | typeof STALE>,
): Promise<Result> => {
  const scope = `records:${name === "list" ? "read" : "write"}`;
  allowCaller(caller, scope);
  const hidden = () => hiddenFrom(caller.viewer, "Database");
  return withDb(dbs, caller.account_id, db_code, hidden, async (db) => {
    const method = db.public_methods[name];
    if (method && (!method.members_only || isMember(db, caller, scope))) return await work(db, method);
    if (!isKnown(db, caller)) throw hidden();
    if (!method) throw forbidden(`The public method ${name} is not enabled`);
    throw caller.viewer ? forbidden(FOR_MEMBERS) : unauthorized(FOR_MEMBERS);
  });
};

const FOR_MEMBERS = "This method is for members with the role user who see the database";

const isMember = ({ department_id }: KnownDb, { viewer }: Caller, scope: string): boolean =>
  viewer !== undefined && mayDo(viewer, "user", scope) && visibleTo(viewer, department_id);

/** Everyone may know a database with a method for everyone; any other is known to viewers who see it. */
const isKnown = ({ public_methods, department_id }: KnownDb, { viewer }: Caller): boolean =>
  Object.values(public_methods).some((method) => !method.members_only) ||
  viewer !== undefined && visibleTo(viewer, department_id);

/** @throws {Refusal} 403, 429 */
async function countWrite(
  { sql, clock }: PublicContext,
  { id, public_write_limit }: KnownDb,
  address: string,
): Promise<void> {
  if (public_write_limit === 0) throw forbidden("This database takes no public writes");
  const now = clock.now();
  if (await countPublicWrite(sql, id, address, now) <= public_write_limit) return;
  const retry_after = 60 - now.getUTCSeconds();
  throw new Refusal(429, `At most ${public_write_limit} writes a minute`, {
    headers: { "retry-after": String(retry_after) },
  });
}
