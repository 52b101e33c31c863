/** What every statement on records has around it: the proof that its database still is as it was known. */
import { Refusal, unavailable } from "../../errors.ts";
import { isLockNotAvailable } from "../../database/pg_errors.ts";
import { type Part, part } from "./part.ts";
import type { Databases, KnownDb } from "../definition/known_db.ts";

/** A statement found that its database has changed meanwhile: it has done nothing. */
export const STALE = Symbol("the database has changed meanwhile");

/** Definitions change seldom; one that changes each time is somebody's script. */
const ATTEMPTS = 10;
/** A schema that goes over its records sends writes away; whoever only starts to follow lets them in at once. */
const LOCKED_PAUSES_MS = [5, 20, 80, 200];
/** The embedded database says so only after a long wait of its own: then once is enough. */
const PATIENCE_MS = 1_000;

/**
 * Runs `work` on the database as it is; again where that has changed meanwhile.
 *
 * @param missing what is thrown where there is no such database
 */
export async function withDb<Result>(
  dbs: Databases,
  account_id: number,
  code: string,
  missing: () => Refusal,
  work: (db: KnownDb) => Promise<Result | typeof STALE>,
): Promise<Result> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const db = await dbs.find(account_id, code);
    if (!db) throw missing();
    const result = await untilFree(() => work(db)).catch((error) => refusedByOld(error, dbs, db));
    if (result !== STALE) return result;
    dbs.forget(db.id);
  }
  throw unavailable("The database's schema keeps changing");
}

/**
 * A refusal that was found without a statement stands on the database as it was remembered, so it asks whether that
 * still holds. Only refusals pay for it.
 *
 * @throws {unknown} what was thrown, where it does
 */
async function refusedByOld(error: unknown, dbs: Databases, db: KnownDb): Promise<typeof STALE> {
  if (!(error instanceof Refusal) || error.status >= 429 || await dbs.isCurrent(db)) throw error;
  return STALE;
}

async function untilFree<Result>(
  work: () => Promise<Result>,
  [pause_ms, ...later]: readonly number[] = LOCKED_PAUSES_MS,
  patient_until = performance.now() + PATIENCE_MS,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isLockNotAvailable(error)) throw error;
    if (pause_ms === undefined || performance.now() > patient_until) {
      throw unavailable("The database's schema is being changed", error, 5);
    }
  }
  await new Promise((resolve) => setTimeout(resolve, pause_ms));
  return await untilFree(work, later, patient_until);
}

/** For a read. */
export const provenDb = ({ id, account_id, lock_version }: KnownDb): Part =>
  part`
    select id as db_id
    from dbs
    where id = ${id}
      and account_id = ${account_id}
      and lock_version = ${lock_version}
  `;

/** For a write: the definition stays until the transaction ends. */
export const heldDb = ({ id, account_id, lock_version, live }: KnownDb): Part =>
  part`
    select id as db_id
    from dbs
    where id = ${id}
      and account_id = ${account_id}
      and lock_version = ${lock_version}
      and coalesce(live_until > now(), false) = ${live}
    for key share nowait
  `;
