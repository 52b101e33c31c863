/**
 * The context of a push or an undo: every write of the domains joins one transaction. What they tell the rest of the server
 * is told when it is committed. Nothing asks the pool meanwhile, because the embedded database has one session for all.
 */
import { CompileFailure, type Compiler } from "../../compiler/compiler.ts";
import type { Context } from "../../context.ts";
import { singleReads } from "../../database/groups/reads.ts";
import { nestedPool } from "../../database/nested.ts";
import type { Sql } from "../../database/pool.ts";
import { findKnownDb } from "../../store/store.ts";
import { findKnownUser } from "../user_settings/queries.ts";

/** Thrown to leave the transaction without a change. */
class RolledBack<Result> extends Error {
  constructor(readonly result: Result) {
    super("rolled back");
  }
}

/**
 * @param work returns whether to commit, beside its result. What it throws rolls back, too
 * @returns the result, after the commit or the rollback
 */
export async function inTransaction<Result>(
  ctx: Context,
  work: (ctx: Context) => Promise<{ commits: boolean; result: Result }>,
): Promise<Result> {
  const told: (() => unknown)[] = [];
  try {
    const result = await ctx.sql.begin(async (tx) => {
      // Two of an account follow each other.
      await tx`select pg_advisory_xact_lock(hashtextextended(${`archive ${ctx.viewer.account_id}`}, 0))`;
      const { commits, result } = await work(joined(ctx, tx, told));
      if (!commits) throw new RolledBack(result);
      return result;
    });
    for (const tell of told) await tell();
    return result as Result;
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    throw error;
  }
}

function joined(ctx: Context, tx: Sql, told: (() => unknown)[]): Context {
  const later = <Call extends (...given: never[]) => unknown>(call: Call) => (...given: Parameters<Call>) => {
    told.push(() => call(...given));
  };
  const { pages, dbs, connectors, flows, viewers } = ctx;
  const sql = nestedPool(tx);
  return Object.create(
    ctx,
    fixed({
      sql,
      reads: singleReads(sql),
      writes: undefined,
      pages: Object.create(pages, fixed({ forget: later(pages.forget) })),
      dbs: Object.create(
        dbs,
        fixed({
          forget: later(dbs.forget),
          find: (account: number, code: string) => findKnownDb(tx, account, code),
        }),
      ),
      connectors: Object.create(connectors, fixed({ forget: later(connectors.forget) })),
      flows: Object.create(
        flows,
        fixed({
          forget: later(flows.forget),
          passTurns: (account: number, id: number) => Promise.resolve(later(flows.passTurns)(account, id)),
        }),
      ),
      viewers: Object.create(
        viewers,
        fixed({
          forget: later(viewers.forget),
          users: { find: (account: number, user: number) => findKnownUser(tx, account, user) },
        }),
      ),
    }),
  );
}

const fixed = (values: Record<string, unknown>): PropertyDescriptorMap =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));

/** A context whose compiler remembers its results, so that a transaction does not wait for what was compiled before it. */
export function withRememberingCompiler(ctx: Context): Context {
  const { compiler } = ctx;
  const known = new Map<string, Promise<unknown>>();
  const remembered = <Result>(key: string, compile: () => Promise<Result>): Promise<Result> => {
    const result = known.get(key) as Promise<Result> | undefined ?? compile();
    known.set(key, result);
    // A busy compiler is asked again; what it refuses stays refused.
    result.catch((error) => error instanceof CompileFailure || known.delete(key));
    return result;
  };
  const remembering: Partial<Compiler> = {
    compile: (source, account, positions) =>
      remembered(JSON.stringify([source, positions]), () => compiler.compile(source, account, positions)),
    code: (source, account) => remembered(JSON.stringify(source), () => compiler.code(source, account)),
  };
  return Object.create(ctx, fixed({ sql: ctx.sql, compiler: Object.create(compiler, fixed(remembering)) }));
}
