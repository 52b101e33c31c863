/** SQL of the objects that a user reaches, or of one of them: everything but runs and records. */
import type { Sql } from "../../database/pool.ts";
import { byRule, forEveryone, methods, type Reached, told, type Wanted } from "./reached.ts";

type Fragment = ReturnType<Sql>;

/** One object, or a page by an indexed key. */
const chosen = (sql: Sql, { id, after, limit }: Wanted, key: Fragment, type: Fragment) =>
  id !== undefined
    ? sql`and ${key} = ${id}::${type}`
    : sql`${after === undefined ? sql`` : sql`and ${key} > ${after}::${type}`} order by ${key} limit ${limit}`;

/** The columns of a `Reached` that most types share. */
const plain = (sql: Sql, by_rule: Fragment) =>
  sql`
    name, json_build_array(department_id) as departments, ${by_rule} as by_rule, null as seen_from,
    '{}'::json as open
  `;

/** Guests open active apps only. A public app opens for everyone. */
export function listApps(sql: Sql, wanted: Wanted): Promise<Reached[]> {
  const by_rule = wanted.user?.role === "guest"
    ? sql`(active and ${byRule(sql, wanted, "app")})`
    : byRule(sql, wanted, "app");
  return sql<Reached[]>`
    select
      id::text as id, id::text as key, name, json_build_array(department_id) as departments, ${by_rule} as by_rule,
      case when not active then 'user' end as seen_from,
      case when active and public then '{"app":null}' else '{}' end::json as open
    from apps
    where account_id = ${wanted.viewer.account_id}
      and ${told(sql, wanted)}
      and (${by_rule} or active and public)
      ${chosen(sql, wanted, sql`id`, sql`uuid`)}
  `;
}

/** Managers may call the actions of inactive apps. A public action of a public app may be called by everyone. */
export function listActions(sql: Sql, wanted: Wanted): Promise<Reached[]> {
  const { viewer, user, id, after, limit } = wanted;
  const [app_id = "", name = ""] = (id ?? after ?? "").split(/\/(.*)/s);
  const is_manager = user === undefined || user.role === "manager" || user.role === "admin";
  const by_rule = is_manager ? byRule(sql, wanted, "action") : sql`(active and ${byRule(sql, wanted, "action")})`;
  const open = sql`(active and public and (e.action ->> 'public')::boolean)`;
  const key = sql`(id, (e.action ->> 'action') collate "C")`;
  return sql<Reached[]>`
    select
      id || '/' || (e.action ->> 'action') as id, id || '/' || (e.action ->> 'action') as key,
      e.action ->> 'action' as name, json_build_array(department_id) as departments, ${by_rule} as by_rule,
      case when not active then 'manager' end as seen_from,
      case when ${open} then '{"action":null}' else '{}' end::json as open
    from apps
    cross join lateral jsonb_array_elements(actions) e (action)
    where account_id = ${viewer.account_id}
      and ${told(sql, wanted)}
      and (${by_rule} or ${open})
      ${
    id !== undefined ? sql`and ${key} = (${app_id}::uuid, ${name})` : sql`
        ${after === undefined ? sql`` : sql`and id >= ${app_id}::uuid and ${key} > (${app_id}::uuid, ${name})`}
        order by id, (e.action ->> 'action') collate "C"
        limit ${limit}
      `
  }
  `;
}

export function listDbs(sql: Sql, wanted: Wanted): Promise<Reached[]> {
  const by_rule = byRule(sql, wanted, "db");
  return sql<Reached[]>`
    select
      code as id, code as key, name, json_build_array(department_id) as departments, ${by_rule} as by_rule,
      null as seen_from, ${methods(sql)} as open
    from dbs
    where account_id = ${wanted.viewer.account_id}
      and ${told(sql, wanted)}
      and (${by_rule} or exists (select 1 from jsonb_each(public_methods) m where ${forEveryone(sql)}))
      ${chosen(sql, wanted, sql`code`, sql`text`)}
  `;
}

/** Connectors and flows have an id and are listed by their code. */
const listCoded = (type: "connector" | "flow", tableOf: (sql: Sql) => Fragment) => (sql: Sql, wanted: Wanted) =>
  sql<Reached[]>`
    select id::text as id, code as key, ${plain(sql, byRule(sql, wanted, type))}
    from ${tableOf(sql)}
    where account_id = ${wanted.viewer.account_id}
      and ${told(sql, wanted)}
      and ${byRule(sql, wanted, type)}
      ${wanted.id === undefined ? chosen(sql, wanted, sql`code`, sql`text`) : chosen(sql, wanted, sql`id`, sql`int`)}
  `;

export const listConnectors = listCoded("connector", (sql) => sql`connectors`);
export const listFlows = listCoded("flow", (sql) => sql`flows`);

export const listCrons = (sql: Sql, wanted: Wanted): Promise<Reached[]> =>
  sql<Reached[]>`
    select id::text as id, id::text as key, ${plain(sql, byRule(sql, wanted, "cron"))}
    from crons
    where account_id = ${wanted.viewer.account_id}
      and ${told(sql, wanted)}
      and ${byRule(sql, wanted, "cron")}
      ${chosen(sql, wanted, sql`id`, sql`int`)}
  `;
