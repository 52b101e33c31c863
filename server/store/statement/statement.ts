/** Optimistic concurrency for statements on records: each checks that its definition is still the stored one. */
import { Refusal, unavailable } from "../../errors.ts";
import { isLockNotAvailable } from "../../database/pg_errors.ts";
import { type Part, part } from "../../database/part.ts";
import type { Databases, KnownDb } from "../definition/known_db.ts";

/** The result of a statement whose definition is outdated. The statement has written nothing. */
export const STALE = Symbol("the database has changed meanwhile");

/** Definitions rarely change. A definition that changes this often is changed by a script. */
const ATTEMPTS = 10;
/** Pauses between attempts to get the row lock grow up to the longest. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 200;
/**
 * After this time there is no further attempt: a new subscriber holds the lock briefly, a schema change for long. The
 * embedded database itself waits longer before it reports the lock.
 */
const PATIENCE_MS = 2_000;

/**
 * Runs `work` with the definition of a database, and again with the new one if it was outdated.
 *
 * @param missing makes the error that is thrown if there is no such database
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
    const result = await attemptWith(db, work).catch((error) => refusedByOld(error, dbs, db));
    if (result !== STALE) return result;
    dbs.forget(db.id);
  }
  throw unavailable("The database's schema keeps changing");
}

/**
 * Checks a refusal that was found without a statement. It rests on the cached definition, which may be outdated. Only
 * refusals pay for this query.
 *
 * @returns `STALE` if the definition was outdated
 * @throws {unknown} the refusal, if the definition is current
 */
async function refusedByOld(error: unknown, dbs: Databases, db: KnownDb): Promise<typeof STALE> {
  if (!(error instanceof Refusal) || error.status >= 429 || await dbs.isCurrent(db)) throw error;
  return STALE;
}

/** Runs `work`, again after pauses while the definition is locked. */
async function attemptWith<Result>(db: KnownDb, work: (db: KnownDb) => Promise<Result>): Promise<Result> {
  const patient_until = performance.now() + PATIENCE_MS;
  for (let pause_ms = FIRST_PAUSE_MS;; pause_ms = Math.min(4 * pause_ms, LONGEST_PAUSE_MS)) {
    try {
      return await work(db);
    } catch (error) {
      if (!isLockNotAvailable(error)) throw error;
      if (performance.now() > patient_until) throw beingChanged(error);
    }
    await new Promise((resolve) => setTimeout(resolve, pause_ms));
  }
}

const beingChanged = (error: unknown) => unavailable("The database's schema is being changed", error, 5);

/** The check for a read. Selects no row if the definition is outdated. */
export const provenDb = ({ id, account_id, lock_version }: KnownDb): Part =>
  part`
    select id as db_id
    from dbs
    where id = ${id}
      and account_id = ${account_id}
      and lock_version = ${lock_version}
  `;

/** The check for a write. It also locks the definition until the transaction ends. */
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
