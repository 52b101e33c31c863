/** Apps: settings and source. */
import { z } from "zod";
import type { Context } from "../../../context.ts";
import type { Fields } from "../../../errors.ts";
import { AppChanges, NewApp } from "../../apps/schema.ts";
import { changeApp, createApp, removeApp } from "../../apps/write.ts";
import { DepartmentName, keyOfName, sorted, type ThingKind, type Value } from "../thing.ts";

const shape = NewApp.omit({ department_id: true, url_code: true, source_code: true }).required()
  .extend({ url_code: z.string().nullable(), department: DepartmentName, source_code: NewApp.shape.source_code })
  .strict();
const changed = shape.omit({ app_engine: true, css_engine: true }).extend({
  app_engine: AppChanges.shape.app_engine,
  css_engine: AppChanges.shape.css_engine,
}).partial();

const DEFAULTS = {
  description: null,
  app_engine: "svelte",
  css_engine: "tailwind_all",
  public: false,
  active: true,
  db_code: null,
  show_in_module: null,
  position: 0,
  embed_width: null,
  embed_height: null,
  prompt: null,
  actions: [],
  fields: {},
  dashboard_widget: false,
  department: null,
};

export const app: ThingKind = {
  shape,
  defaults: (_value, key) => ({ ...DEFAULTS, url_code: key }),
  keyOf: ({ name, url_code }) => url_code === null ? keyOfName(String(name), "app") : undefined,
  faults: ({ url_code }, key): Fields =>
    url_code === null || url_code === key ? {} : { url_code: [`must be left out, which means ${key}, or be null`] },
  settle: (value) => ({ ...value, fields: sorted(withoutWidget(value.fields)) }),
  list: async (sql, account) =>
    (await sql<{ id: string; name: string; url_code: string | null }[]>`
      select id, name, url_code from apps where account_id = ${account} order by url_code is null, created_at, id
    `).map(({ id, name, url_code }) => ({ id, wanted: url_code ?? keyOfName(name, "app") })),
  async read(sql, account, ids) {
    const rows = await sql<(Value & { id: string; lock_version: number; actions: Record<string, unknown>[] })[]>`
      select a.id, a.lock_version, a.name, a.url_code, a.description, a.app_engine, a.css_engine, a.public, a.active,
        a.db_code, a.show_in_module, a.position, a.embed_width, a.embed_height, a.prompt, a.actions, a.fields,
        coalesce(a.fields -> 'dashboard_widget' = 'true', false) as dashboard_widget, d.name as department,
        a.source_code
      from apps a
      left join departments d on d.id = a.department_id
      where a.account_id = ${account}
        and a.id = any(${ids.map(String)}::uuid[])
      limit ${ids.length}
    `;
    return rows.map(({ id, lock_version, ...value }) => ({
      id,
      lock_version,
      value: {
        ...value,
        fields: sorted(withoutWidget(value.fields)),
        actions: value.actions.map(({ action, flow_code, description, public: is_public }) => ({
          action,
          flow_code,
          description,
          public: is_public,
        })),
      },
    }));
  },
  async create({ ctx, departmentId }, _key, value) {
    const { department, ...fields } = shape.parse(value);
    const { id, config } = (await createApp(ctx, { ...fields, department_id: await departmentId(department) })).parse();
    return { id, warnings: warningsIn(config) };
  },
  async change({ ctx, departmentId }, { id, lock_version, value: before }, _key, changes) {
    const { department, ...fields } = changed.parse(changes);
    // The app's own `fields` may keep a key that is written beside them.
    const dashboard_widget = fields.dashboard_widget ?? before.dashboard_widget === true;
    const department_id = department === undefined ? undefined : await departmentId(department);
    const edit = () => ({
      ...fields,
      ...fields.fields && { dashboard_widget },
      ...department_id !== undefined && { department_id },
    });
    const { config } = (await changeApp(ctx, String(id), edit, lock_version)).parse();
    return { id, warnings: fields.source_code === undefined ? {} : warningsIn(config) };
  },
  remove: (ctx: Context, { id }) => removeApp(ctx, String(id)),
};

function withoutWidget(fields: unknown): unknown {
  const { dashboard_widget: _, ...others } = Object(fields) as Record<string, unknown>;
  return others;
}

function warningsIn(config: Record<string, unknown>): Record<string, string[]> {
  const warnings = z.array(z.string()).safeParse(config.warnings);
  return warnings.success && warnings.data.length > 0 ? { source_code: warnings.data } : {};
}
