/** How a change of each kind of object is undone, by the functions that the procedures of its domain call. */
import type { z } from "zod";
import type { Context } from "../../context.ts";
import { invalid, notFound } from "../../errors.ts";
import { fieldsOf } from "../../input/messages.ts";
import { readSchema } from "../../store/store.ts";
import { AppChanges, NewApp } from "../apps/schema.ts";
import { changeApp, createApp, removeApp } from "../apps/write.ts";
import { CronChanges, NewCron } from "../crons/schema.ts";
import { changeCron, createCron, removeCron } from "../crons/write.ts";
import { DbChanges, NewDb } from "../dbs/schema.ts";
import { changeDb, createDb, removeDb } from "../dbs/write.ts";
import { FlowChanges, NewFlow } from "../flows/schema.ts";
import { changeFlow, createFlow, removeFlow } from "../flows/write.ts";
import { changeRecord, createRecord, removeRecord } from "../records/write.ts";
import type { Changed } from "./schema.ts";

type State = Record<string, unknown>;

interface Place {
  id: string;
  /** Of a record. */
  db_id: number | null;
}

/** Each throws a refusal where the object may not be changed so. */
interface Reversal {
  /** The session has created it. */
  remove(ctx: Context, place: Place): Promise<unknown>;
  /** The session has changed it. */
  restore(ctx: Context, place: Place, before: State): Promise<unknown>;
  /** The session has deleted it. */
  create(ctx: Context, place: Place, before: State): Promise<unknown>;
}

/** The fields of a state that a body has. @throws {Refusal} 422 */
function bodyOf<S extends z.ZodType>(shape: S, { lock_version: _lock_version, ...state }: State): z.output<S> {
  const read = shape.safeParse(state);
  if (!read.success) throw invalid(fieldsOf(read.error.issues));
  return read.data;
}

/** @throws {Refusal} 404 */
async function codeOf({ sql, viewer }: Context, db_id: number): Promise<string> {
  const [db] = await sql<{ code: string }[]>`
    select code from dbs where id = ${db_id} and account_id = ${viewer.account_id}
  `;
  if (!db) throw notFound("Database");
  return db.code;
}

const app: Reversal = {
  remove: (ctx, { id }) => removeApp(ctx, id),
  restore: (ctx, { id }, before) => changeApp(ctx, id, () => bodyOf(AppChanges, before)),
  create: (ctx, _place, before) => createApp(ctx, bodyOf(NewApp, before)),
};

const flow: Reversal = {
  remove: (ctx, { id }) => removeFlow(ctx, { id: Number(id), force: false }),
  restore: (ctx, { id }, before) => changeFlow(ctx, Number(id), { ...bodyOf(FlowChanges, before), force: true }),
  create: (ctx, _place, before) => createFlow(ctx, bodyOf(NewFlow, before)),
};

/** A webhook's settings are kept without its secret, which stays. Those of other kinds are null. */
const settingsOf = ({ webhook, record, ...before }: State): State => ({
  ...before,
  ...webhook ? { webhook } : {},
  ...record ? { record } : {},
});

const cron: Reversal = {
  remove: (ctx, { id }) => removeCron(ctx, Number(id)),
  async restore(ctx, { id }, before) {
    const [now] = await ctx.sql<{ active: boolean }[]>`
      select active from crons where id = ${Number(id)} and account_id = ${ctx.viewer.account_id}
    `;
    const { active, ...settings } = settingsOf(before);
    // A write of false stops a trigger that failures have paused, and skips what waits there.
    const changes = now?.active === active ? settings : { ...settings, active };
    return await changeCron(ctx, Number(id), bodyOf(CronChanges, changes));
  },
  create: (ctx, _place, before) => createCron(ctx, bodyOf(NewCron, settingsOf(before))),
};

const db: Reversal = {
  remove: async (ctx, { id }) => await removeDb(ctx, { db_code: await codeOf(ctx, Number(id)), force: false }),
  async restore(ctx, { id }, { renamed, ...before }) {
    const code = await codeOf(ctx, Number(id));
    const [now] = await ctx.sql<{ schema: State }[]>`
      select schema from dbs where id = ${Number(id)} and account_id = ${ctx.viewer.account_id}
    `;
    const kept = readSchema(Object(before.schema));
    const renames = reversed(Object(renamed));
    const moved = new Set(renames.rename_tables.map(({ from }) => from));
    const drop_tables = [...readSchema(Object(now?.schema)).keys()].filter((name) =>
      !kept.has(name) && !moved.has(name)
    );
    await changeDb(ctx, code, bodyOf(DbChanges, { ...before, ...renames, drop_tables }));
  },
  create: (ctx, _place, before) => createDb(ctx, bodyOf(NewDb, before)),
};

interface Rename {
  table_name?: string;
  from: string;
  to: string;
}

/** Renames in the other direction; `table_name` is then the old name of a renamed table. */
function reversed({ rename_tables = [], rename_fields = [] }: { rename_tables?: Rename[]; rename_fields?: Rename[] }) {
  const old = new Map(rename_tables.map(({ from, to }) => [to, from]));
  return {
    rename_tables: rename_tables.map(({ from, to }) => ({ from: to, to: from })),
    rename_fields: rename_fields.map(({ table_name = "", from, to }) => ({
      table_name: old.get(table_name) ?? table_name,
      from: to,
      to: from,
    })),
  };
}

const record: Reversal = {
  remove: async (ctx, { id, db_id }) => await removeRecord(ctx, { db_code: await codeOf(ctx, Number(db_id)), id }),
  async restore(ctx, { id, db_id }, { data, department_id }) {
    const record = { data: Object(data), department_id: idOf(department_id) };
    await changeRecord(ctx, { db_code: await codeOf(ctx, Number(db_id)), id, record });
  },
  async create(ctx, { db_id }, { data, department_id, table_name }) {
    const filled = Object.fromEntries(Object.entries(Object(data)).filter(([, value]) => value !== null));
    const record = {
      data: filled,
      department_id: idOf(department_id),
      ...typeof table_name === "string" && { table_name },
    };
    await createRecord(ctx, { db_code: await codeOf(ctx, Number(db_id)), record });
  },
};

const idOf = (value: unknown): number | null => typeof value === "number" ? value : null;

export const REVERSALS: Record<Changed, Reversal> = { app, db, flow, cron, record };
