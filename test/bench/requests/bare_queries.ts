/**
 * The statements of server/domains/departments/queries.ts as constant texts, and a naive list for comparison. Before it
 * measures, the bench checks that both servers answer alike.
 */
import type postgres from "postgres";

/** What the file that the bare server's `PAGE` names contains, as JSON. */
export interface Page {
  body: string;
  headers: [name: string, value: string][];
}

const STORED = `
  name, name_folded, shortcut, description, phone, email,
  company_name, company_tax_no, company_street, company_street_number, company_post_code,
  company_city, company_country, company_email, company_phone, company_website,
  company_bank, company_bank_account, company_logo, logo_file
`;

/** Columns of the department `d` and its account `a`. $1 is the account, $2 the base URL. */
const SENT = `
  d.id, d.name, d.shortcut, d.description, d.phone, d.email,
  d.company_name, d.company_tax_no, d.company_street, d.company_street_number, d.company_post_code,
  d.company_city, d.company_country, d.company_email, d.company_phone, d.company_website,
  d.company_bank, d.company_bank_account, d.company_logo,
  array(select u.user_id from department_users u where u.department_id = d.id order by 1) as user_setting_ids,
  array(select m.mailbox_id from department_mailboxes m where m.department_id = d.id order by 1) as mailbox_ids,
  $2::text || '/logos/' || d.logo_file as logo_url,
  d.id = a.main_department_id is true as main,
  d.lock_version
`;
const TIMES = "iso(d.created_at) as created_at, iso(d.updated_at) as updated_at";

const NAIVE_LIST = `
  select ${SENT}, d.created_at, d.updated_at
  from departments d
  join accounts a on a.id = d.account_id
  where d.account_id = $1
  order by lower(d.name), d.id
  limit $3
`;
const NAIVE_COUNT = "select count(*)::int as total from departments where account_id = $1";

const LIST = `
  select
    (select count(*) from departments where account_id = $1)::int as total,
    (select coalesce(json_agg(r), '[]') from (
      select ${SENT}, ${TIMES}
      from departments d
      join accounts a on a.id = d.account_id
      where d.account_id = $1
      order by d.name_folded, d.id
      limit $3 offset 0
    ) r)::text as json
`;

const FIND = `
  select row_to_json(r)::text as json from (
    select ${SENT}, ${TIMES}
    from departments d
    join accounts a on a.id = d.account_id
    where d.id = $3
      and d.account_id = $1
  ) r
`;

const INSERT = `
  with a as materialized (
    select id, main_department_id
    from accounts
    where id = $1
      and main_department_id is not null
      and (departments_mode = 'restricted' or departments_mode_chosen)
    for key share
  ),
  inserted as (
    insert into departments (account_id, ${STORED})
    select a.id, ${STORED}
    from a
    cross join jsonb_populate_record(null::departments, $3)
    returning *
  )
  select row_to_json(r)::text as json from (
    select ${SENT}, ${TIMES}
    from inserted d
    cross join a
  ) r
`;

const UPDATE = `
  with updated as (
    update departments d
    set
      (${STORED}) = (select ${STORED} from jsonb_populate_record(d, $4)),
      lock_version = d.lock_version + 1,
      updated_at = now()
    where d.id = $3
      and d.account_id = $1
    returning *
  )
  select row_to_json(r)::text as json from (
    select ${SENT}, ${TIMES}
    from updated d
    join accounts a on a.id = d.account_id
  ) r
`;

type Values = Record<string, string>;

const iso = (date: Date) => date.toISOString().replace("Z", "+00:00");

export function bareQueries(sql: postgres.Sql, account: number, site: string) {
  const run = <Row extends object>(text: string, ...rest: postgres.ParameterOrJSON<never>[]) =>
    sql.unsafe<Row[]>(text, [account, ...rest], { prepare: true });
  const one = async (text: string, ...rest: postgres.ParameterOrJSON<never>[]) =>
    (await run<{ json: string }>(text, site, ...rest))[0]?.json;
  return {
    /** Sorts without an index, counts in a second statement, and builds the JSON in JavaScript. */
    async listNaively(limit: number) {
      const [rows, counted] = await Promise.all([
        run<{ created_at: Date; updated_at: Date }>(NAIVE_LIST, site, limit),
        run<{ total: number }>(NAIVE_COUNT),
      ]);
      const sent = rows.map((row) => ({ ...row, created_at: iso(row.created_at), updated_at: iso(row.updated_at) }));
      return { json: JSON.stringify(sent), total: counted[0]?.total ?? 0 };
    },
    /** Reads in the order of an index and passes on the JSON that PostgreSQL built. */
    async list(limit: number) {
      const [row] = await run<{ json: string; total: number }>(LIST, site, limit);
      return row ?? { json: "[]", total: 0 };
    },
    find: (id: number) => one(FIND, id),
    insert: (department: Values) =>
      one(INSERT, sql.json({ ...department, name_folded: department.name?.toLowerCase() ?? "" })),
    update: (id: number, department: Values) => one(UPDATE, id, sql.json(department)),
  };
}
