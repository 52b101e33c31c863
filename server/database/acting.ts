/**
 * A pool whose writes say who makes them. Triggers of the audited tables read the actor from a setting of the
 * transaction, so a domain cannot leave it out (`db/migrations/0021_audit.sql`). A single write becomes a transaction.
 */
import { Part } from "./part.ts";
import type { Pool, Sql } from "./sql.ts";
import { isTemplate, Statement } from "./tagged.ts";

const ACTING = Symbol("acting");

/** The pool behind an acting one, and the setting's value. */
export interface Acting {
  pool: Pool;
  setting(): string;
}

/** @param actor is called when a write begins */
export function actingPool(pool: Pool, actor: () => object): Pool {
  const acting: Acting = { pool, setting: () => JSON.stringify(actor()) };
  return beginningBy(pool, beginAs(acting), acting);
}

/**
 * Called as the last work of a transaction, with what the transaction returns. `discard` rolls it back, and its caller
 * gets the result all the same. What is thrown rolls it back, too, and reaches the caller.
 */
export type Settle = (tx: Sql, result: unknown) => Promise<"commit" | "discard">;

class Discarded extends Error {
  constructor(readonly result: unknown) {
    super("a transaction is discarded");
  }
}

/**
 * A pool whose transactions are settled; a single write becomes such a transaction. Writes that the record store sends
 * without a transaction are not seen.
 *
 * @param pool an acting one
 */
export function settlingPool(pool: Pool, settle: Settle): Pool {
  const settled = (work: Work): Work => async (tx) => {
    const result = await work(tx);
    if (await settle(tx, result) === "discard") throw new Discarded(result);
    return result;
  };
  const begin = async (options: string | Work, work?: Work) => {
    try {
      return typeof options === "string"
        ? work && await pool.begin(options, settled(work))
        : await pool.begin(settled(options));
    } catch (error) {
      if (error instanceof Discarded) return error.result;
      throw error;
    }
  };
  return beginningBy(pool, begin as Pool["begin"], undefined);
}

/** @param acting undefined where every write must go through `begin` */
function beginningBy(pool: Pool, begin: Pool["begin"], acting: Acting | undefined): Pool {
  const send = (statement: Part) => isWrite(statement) ? begin((tx) => again(tx, statement)) : again(pool, statement);
  const tag = { send };
  return new Proxy(pool, {
    apply: (_, __, [first, ...values]: [unknown, ...unknown[]]) =>
      isTemplate(first) ? new Statement(tag, first, values) : Reflect.apply(pool, undefined, [first, ...values]),
    get: (target, key) => key === "begin" ? begin : key === ACTING ? acting : Reflect.get(target, key),
  });
}

/**
 * For a single statement that is written so often that it must stay alone: it selects
 * `set_config('atrium.actor', …, true)` itself.
 *
 * @returns undefined where `sql` is a transaction, which has its actor already, or a pool without an actor
 */
export const actingOf = (sql: Sql): Acting | undefined => Reflect.get(sql, ACTING);

type Work = (tx: Sql) => Promise<unknown>;

function beginAs({ pool, setting }: Acting): Pool["begin"] {
  const named = (work: Work): Work => (tx) => {
    // Sent with the first statement of the work. If it fails, so do the statements after it.
    tx`select set_config('atrium.actor', ${setting()}, true)`.catch(() => {});
    return work(tx);
  };
  const begin = (options: string | Work, work?: Work) =>
    typeof options === "string" ? work && pool.begin(options, named(work)) : pool.begin(named(options));
  return begin as Pool["begin"];
}

/** The same statement, sent by another handle. */
const again = (sql: Sql, { template, values }: Part): Promise<unknown> =>
  Reflect.apply(sql, undefined, [template, ...values]);

const WRITE = /\b(?:insert\s+into|delete\s+from|(?<!\b(?:for|key|do)\s+)update)\s+(\w+)?/gi;
/** Counts and files, which are written outside of changes. */
const UNAUDITED = new Set([
  "audit_entries",
  "public_writes",
  "sign_in_attempts",
  "logos",
  "vendor_files",
  "reindexings",
  "readiness",
  "agent_sessions",
  "agent_changes",
]);
const writing = new WeakMap<TemplateStringsArray, boolean>();

const isWrite = ({ template, values }: Part): boolean =>
  writes(template) || values.some((value) => value instanceof Part && isWrite(value));

function writes(template: TemplateStringsArray): boolean {
  let found = writing.get(template);
  if (found === undefined) {
    found = template.some((text) => text.matchAll(WRITE).some(([, table]) => !UNAUDITED.has(table ?? "")));
    writing.set(template, found);
  }
  return found;
}
