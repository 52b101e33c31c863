/** Flows: the program, what it declares and how it runs. Examples and drafts stay on the server. */
import { Program } from "../../../flow/flow.ts";
import { NewFlow } from "../../flows/schema.ts";
import { changeFlow, createFlow, removeFlow } from "../../flows/write.ts";
import { DepartmentName, type ThingKind, type Value } from "../thing.ts";

const shape = NewFlow.omit({ kind: true, code: true, fields: true, program: true, department_id: true }).required()
  .extend({ department: DepartmentName, program: Program }).strict();
const DEFAULTS = {
  active: true,
  guarded: false,
  max_at_once: null,
  overlap: "queue",
  input: null,
  output: null,
  secret_inputs: [],
  on_failure: null,
  runs_as: "author",
  department: null,
  program: [],
};

export const flow: ThingKind = {
  shape,
  defaults: () => DEFAULTS,
  list: async (sql, account) =>
    await sql<{ id: number; wanted: string }[]>`
      select id, code as wanted from flows where account_id = ${account} order by created_at, id
    `,
  async read(sql, account, ids) {
    const rows = await sql<(Value & { id: number; lock_version: number })[]>`
      select f.id, f.lock_version, f.name, f.active, f.guarded, f.max_at_once, f.overlap, f.input, f.output,
        f.secret_inputs, f.on_failure, f.runs_as, d.name as department, f.fields -> 'program' as program
      from flows f
      left join departments d on d.id = f.department_id
      where f.account_id = ${account}
        and f.id = any(${ids.map(Number)}::int[])
      limit ${ids.length}
    `;
    return rows.map(({ id, lock_version, ...value }) => ({ id, lock_version, value }));
  },
  async create({ ctx, departmentId }, code, value) {
    const { department, program, ...fields } = shape.parse(value);
    const department_id = await departmentId(department);
    const { id } = (await createFlow(ctx, { ...fields, code, fields: { program }, department_id })).parse();
    return { id };
  },
  async change({ ctx, departmentId }, { id, lock_version }, code, changes) {
    const { department, program, ...fields } = shape.partial().parse(changes);
    await changeFlow(ctx, Number(id), {
      ...fields,
      code,
      lock_version,
      // Examples were checked before the transaction: prepare.ts
      force: true,
      ...program !== undefined && { fields: { program } },
      ...department !== undefined && { department_id: await departmentId(department) },
    });
    return { id };
  },
  remove: (ctx, { id }) => removeFlow(ctx, { id: Number(id), force: false }),
};
