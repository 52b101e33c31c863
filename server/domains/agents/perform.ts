/**
 * Makes or rehearses one change of an agent. Both run the same procedure. A rehearsal rolls its transaction back as the
 * last thing that it does, so constraints and triggers have had their say. A change leaves the state before it in
 * `agent_changes`, in its own transaction.
 */
import type { Context } from "../../context.ts";
import { settlingPool } from "../../database/acting.ts";
import type { Sql } from "../../database/pool.ts";
import type { Call } from "../../viewer.ts";
import { useConfirmation } from "./confirmations.ts";
import type { Changed } from "./schema.ts";

/** An entry of the audit log. */
export interface Entry {
  action: string;
  object: string;
  object_id: string;
}

/** What an undo needs of one changed object. */
export interface Before {
  object: Changed;
  object_id: string;
  db_id?: number;
  action: "create" | "update" | "delete";
  /** The object as it was; null for a created one. */
  before: unknown;
}

export interface Change {
  dry_run: boolean;
  /** The confirmation that the change uses up. */
  confirmation?: string;
  /**
   * @param entries what the change has written to the audit log
   * @param result what the transaction returns
   */
  before(entries: readonly Entry[], result: unknown): Before[];
}

/** Ends a procedure whose change has passed in a rehearsal. */
class Rehearsed extends Error {}

/**
 * @param ctx its `call` names the agent
 * @param work calls procedures with the context that it gets; of these only one may write
 * @returns what `work` returns; undefined for a rehearsed change
 * @throws what `work` throws
 */
export async function perform<C extends Context, T>(
  ctx: C,
  change: Change,
  work: (ctx: C) => Promise<T>,
): Promise<T | undefined> {
  const { agent } = ctx.call;
  if (!agent) throw new Error("a change of an agent needs its session");
  const { account_id } = ctx.viewer;
  let is_rehearsed = false;
  let is_kept = false;
  const sql = settlingPool(ctx.sql, async (tx, result) => {
    const entries = await listEntries(tx, account_id, agent);
    if (change.dry_run) {
      if (entries.length === 0) return "discard";
      await tx`set constraints all immediate`;
      is_rehearsed = true;
      throw new Rehearsed();
    }
    if (entries.length === 0 || is_kept) return "commit";
    if (change.confirmation !== undefined) await useConfirmation(tx, account_id, change.confirmation);
    for (const before of change.before(entries, result)) await insertBefore(tx, account_id, agent.session, before);
    is_kept = true;
    return "commit";
  });
  try {
    return await work(Object.create(ctx, { sql: { value: sql }, writes: { value: undefined } }));
  } catch (error) {
    if (is_rehearsed) return undefined;
    throw error;
  }
}

/** The entries of this call that its transaction has written. */
const listEntries = (tx: Sql, account_id: number, { session, call }: NonNullable<Call["agent"]>) =>
  tx<Entry[]>`
    select action, object, object_id
    from audit_entries
    where account_id = ${account_id}
      and actor ? 'agent'
      and actor -> 'agent' ->> 'session' = ${session}
      and actor -> 'agent' ->> 'call' = ${call}
    order by id
    limit 1000
  `;

const insertBefore = (tx: Sql, account_id: number, session_id: string, before: Before) =>
  tx`
    insert into agent_changes (account_id, session_id, object, object_id, db_id, action, before)
    values (
      ${account_id}, ${session_id}, ${before.object}, ${before.object_id}, ${before.db_id ?? null}, ${before.action},
      ${before.before === null ? null : JSON.stringify(before.before)}::text::json
    )
  `;
