/** Creating, changing and deleting departments: the operations that need several statements. */
import type { Context } from "../../context.ts";
import { actorOf } from "../../actor.ts";
import { singleReads } from "../../database/groups/reads.ts";
import type { Sql } from "../../database/pool.ts";
import { conflict, type Fields, invalid, notFound } from "../../errors.ts";
import type { Json } from "../../database/json.ts";
import { fold } from "../../input/shapes.ts";
import { lockAccount } from "../account/queries.ts";
import { resetFeedsOf } from "../../store/store.ts";
import { replaceMailboxes, replaceUsers } from "./assigned.ts";
import { storeLogo } from "./logo.ts";
import {
  deleteDepartment,
  insertDepartment,
  insertFurtherDepartment,
  readDepartment,
  updateDepartment,
  updateInGroup,
  updateMainDepartment,
  type Values,
} from "./queries.ts";
import { COLUMNS, type Department, type DepartmentChanges, type NewDepartment } from "./schema.ts";

/** The first department becomes the main one; the second sets the account's mode to `restricted` (spec, section 3). */
export async function createDepartment(ctx: Context, input: NewDepartment): Promise<Json<Department>> {
  const { sql, config, viewer: { account_id } } = ctx;
  const values = await valuesOf(sql, input);
  if (!assigns(input)) {
    const created = await insertFurtherDepartment(sql, account_id, config.base_url, values);
    if (created) return created;
  }
  const created = await sql.begin(async (sql) => {
    await lockAccount(sql, account_id);
    const id = await insertDepartment(sql, account_id, values);
    await assign(sql, account_id, id, input);
    await resetFeedsOf(sql, account_id);
    return await readDepartment(singleReads(sql), account_id, config.base_url, id);
  });
  ctx.viewers.forget();
  return created;
}

/** Changes only the given fields. @throws {Refusal} 404; 409 if `lock_version` is not the current one */
export async function changeDepartment(
  ctx: Context,
  id: number,
  changes: DepartmentChanges,
): Promise<Json<Department>> {
  const { sql, writes, config, call, viewer: { account_id } } = ctx;
  const values = await valuesOf(sql, changes);
  const { lock_version } = changes;
  const change = async (sql: Sql) =>
    await updateDepartment(sql, account_id, config.base_url, id, values, lock_version) ??
      refuseStale(await readDepartment(singleReads(sql), account_id, config.base_url, id));
  if (!assigns(changes)) {
    const update = { id, values, lock_version, actor: actorOf(call) };
    return await (writes && updateInGroup(writes, account_id, config.base_url, update)) ?? await change(sql);
  }
  const changed = await sql.begin(async (sql) => {
    await change(sql);
    await assign(sql, account_id, id, changes);
    await resetFeedsOf(sql, account_id);
    return await readDepartment(singleReads(sql), account_id, config.base_url, id);
  });
  ctx.viewers.forget();
  return changed;
}

function refuseStale(current: Json<Department>): never {
  throw conflict(current.parse());
}

/** @throws {Refusal} 404 */
export async function chooseMainDepartment(ctx: Context, id: number): Promise<Json<Department>> {
  const { sql, config, viewer: { account_id } } = ctx;
  return await sql.begin(async (sql) => {
    await lockAccount(sql, account_id);
    if (!await updateMainDepartment(sql, account_id, id)) throw notFound("Department");
    return await readDepartment(singleReads(sql), account_id, config.base_url, id);
  });
}

/** @throws {Refusal} 404 */
export async function removeDepartment({ sql, viewer, viewers }: Context, id: number): Promise<void> {
  await sql.begin(async (sql) => {
    await lockAccount(sql, viewer.account_id);
    if (!await deleteDepartment(sql, viewer.account_id, id)) throw notFound("Department");
    await resetFeedsOf(sql, viewer.account_id);
  });
  viewers.forget();
}

async function valuesOf(sql: Sql, input: DepartmentChanges): Promise<Values> {
  const values: Values = {};
  for (const column of COLUMNS) {
    const value = input[column];
    if (value !== undefined) values[column] = value;
  }
  if (input.name !== undefined) values.name_folded = fold(input.name);
  if (input.logo_remove) values.logo_file = null;
  if (input.logo) values.logo_file = await storeLogo(sql, input.logo);
  return values;
}

const assigns = ({ user_setting_ids, mailbox_ids }: DepartmentChanges) =>
  user_setting_ids !== undefined || mailbox_ids !== undefined;

async function assign(sql: Sql, account: number, id: number, input: DepartmentChanges): Promise<void> {
  const { user_setting_ids, mailbox_ids } = input;
  const fields: Fields = {};
  const note = (field: string, unknown: number[]) => {
    if (unknown.length > 0) fields[field] = [`has unknown ids: ${unknown.slice(0, 10).join(", ")}`];
  };
  if (user_setting_ids) note("user_setting_ids", await replaceUsers(sql, account, id, user_setting_ids));
  if (mailbox_ids) note("mailbox_ids", await replaceMailboxes(sql, account, id, mailbox_ids));
  if (Object.keys(fields).length > 0) throw invalid(fields);
}
