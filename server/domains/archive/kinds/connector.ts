/** Connectors. Their secrets stay on the server. */
import { secretOrigins } from "../../../connectors/connectors.ts";
import { changeConnector, createConnector, removeConnector } from "../../connectors/write.ts";
import { NewConnector } from "../../connectors/schema.ts";
import { DepartmentName, readWhole, type ThingKind, type Value } from "../thing.ts";

const shape = NewConnector.omit({ kind: true, code: true, secret_token: true, department_id: true }).required()
  .extend({ department: DepartmentName }).strict();
const Secret = NewConnector.pick({ secret_token: true });
const DEFAULTS = { fields: {}, department: null };

export const connector: ThingKind = {
  shape,
  defaults: () => DEFAULTS,
  list: async (sql, account) =>
    await sql<{ id: number; wanted: string }[]>`
      select id, code as wanted from connectors where account_id = ${account} order by created_at, id
    `,
  async read(sql, account, ids) {
    const rows = await sql<(Value & { id: number; lock_version: number })[]>`
      select c.id, c.lock_version, c.name, c.url, c.fields, d.name as department
      from connectors c
      left join departments d on d.id = c.department_id
      where c.account_id = ${account}
        and c.id = any(${ids.map(Number)}::int[])
      limit ${ids.length}
    `;
    return rows.map(({ id, lock_version, ...value }) => ({ id, lock_version, value }));
  },
  async create({ ctx, secrets, departmentId }, code, value) {
    const { department, ...fields } = shape.parse(value);
    const { secret_token } = readWhole(Secret, { secret_token: secrets[`connector/${code}`] });
    const department_id = await departmentId(department);
    const created = await createConnector(ctx, { ...fields, code, secret_token, department_id });
    const { id, has_secret_token } = created.parse();
    const needs_secret = (fields.fields.auth?.type ?? "none") !== "none" && !has_secret_token;
    return { id, ...needs_secret && { warnings: { secret_token: ["is not set: calls fail until it is"] } } };
  },
  async change({ ctx, secrets, departmentId }, { id, lock_version, value: before }, code, changes, value) {
    const { department, ...fields } = shape.partial().parse(changes);
    // A secret that is there stays, except where it would be sent to another origin.
    const known = originsOf(before);
    const is_moved = originsOf(value).some((origin) => !known.includes(origin));
    const sent = is_moved ? secrets[`connector/${code}`] : undefined;
    const { secret_token } = readWhole(Secret, { secret_token: sent });
    await changeConnector(ctx, Number(id), {
      ...fields,
      code,
      lock_version,
      ...secret_token !== undefined && { secret_token },
      ...department !== undefined && { department_id: await departmentId(department) },
    });
    return { id };
  },
  remove: (ctx, { id }) => removeConnector(ctx, { id: Number(id), force: false }),
};

const originsOf = (value: Value) => {
  const { url, fields } = shape.pick({ url: true, fields: true }).parse({ url: value.url, fields: value.fields });
  return secretOrigins(url, fields.auth);
};
