/**
 * The statements of server/store, written out for the schema of the bench. Before it measures, the bench checks that both
 * servers answer alike.
 */
import type postgres from "postgres";
import { type Known, SCHEMA } from "./records_load.ts";

export interface Data {
  name?: string;
  city?: string;
  customer?: string;
  amount?: number;
  note?: string;
  at?: string;
}

/** $1 and $2 are the database and its version. */
const DB = "(select id as db_id from dbs where id = $1 and account_id = 1 and lock_version = $2) db";
const HELD_DB = `
  select id as db_id
  from dbs
  where id = $1 and account_id = 1 and lock_version = $2 and coalesce(live_until > now(), false) = false
  for key share nowait
`;

/** $3 is an object with every field as null. */
const sentAs = (data: string) =>
  `(
  select row_to_json(sent)
  from (
    select
      id, null::text as table_name, ${data} as data, department_id, created_by_id, iso(created_at) as created_at,
      iso(updated_at) as updated_at
  ) sent
)`;
const SENT = sentAs("$3::jsonb || data");
const FLAT = `(
  jsonb_build_object('id', id) || ($3::jsonb || data) ||
  jsonb_build_object('created_at', iso(created_at), 'updated_at', iso(updated_at))
)`;

const FIND = `
  select (select ${SENT}::text from records where id = $4 and table_id = $5) as json
  from ${DB}
`;

/** Reads one row more than the page has: it tells whether there is another page. */
const list = (condition: string, order: string) => `
  select page.json, page.rows
  from ${DB}
  cross join (
    select coalesce(json_agg(${SENT}) filter (where n <= $6), '[]')::text as json, count(*)::int as rows
    from (
      select *, row_number() over () as n
      from (
        select * from records where table_id = $4 and ${condition} order by ${order} limit $6::int + 1 offset 0
      ) found
    ) page
  ) page
`;
const LIST_OF_CITY = list("str_1 is not null and str_1 = $5::text", "id desc");
const LIST_OF_CUSTOMER = list("str_2 is not null and str_2 = $5::text and int_1 is not null", "int_1 desc, id desc");

/** Searches the newest $7 records first: a common text is found there without the index of texts. */
const SEARCH_NEWEST = `
  with page as (
    select *
    from (select * from records where table_id = $4 order by created_at desc, id desc limit $7) first
    where array_to_string(search, E'\\x1f') like $5
    order by created_at desc, id desc
    limit $6
  )
  select
    (select coalesce(json_agg(${FLAT}), '[]') from page)::text as json,
    (select count(*) from page)::int as rows
  from ${DB}
`;
const SEARCH = `
  select (
    select coalesce(json_agg(${FLAT}), '[]')
    from (
      select *
      from records
      where id in (
        with found as materialized (select id from records where search_text(search) like $5)
        select id from found
      )
        and table_id = $4
        and array_to_string(search, E'\\x1f') like $5
      order by created_at desc, id desc
      limit $6
    ) page
  )::text as json
  from ${DB}
`;

const AUDITED = "account_id, action, object, object_id, db_id, user_id, actor, before, after";

const INSERT = `
  with written as (
    insert into records (
      id, table_id, data, search, department_id, created_by_id, created_at, updated_at, str_1, str_2, int_1, time_1
    )
    select
      $3::uuid, $4::int, $5::jsonb, $6::text[], null, 1, $7::timestamptz, $7, $8::text, $9::text, $10::bigint,
      $11::timestamptz
    from (${HELD_DB}) db
    returning id
  )
  insert into audit_entries (${AUDITED})
  select 1, 'create', 'record', id::text, $1::integer, 1, $12::jsonb, null::jsonb, null::jsonb
  from written
`;

const insertPlain = (code: string) => `
  insert into plain_${code} (
    id, name, city, customer, amount, note, at, created_by_id, created_at, updated_at
  )
  values ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8)
`;

/** Large values are shortened in the audit log. */
const bounded = (fields: string) => `
  case
    when pg_column_size(${fields}) <= 1000 and pg_column_compression(${fields}) is null then ${fields}
    else audit_bounded(${fields})
  end
`;

const UPDATE = `
  with
    db as (${HELD_DB}),
    before as (
      select records.*
      from records, db
      where id = $4 and table_id = $5
      for update of records
    ),
    written as (
      update records r
      set
        data = jsonb_strip_nulls(r.data || $6::jsonb),
        search[$7::integer] = $8,
        updated_at = greatest(date_trunc('milliseconds', now()), r.updated_at)
      from before b
      where r.id = b.id
      returning r.*, b.data as was, b.department_id as was_in
    ),
    audited as (
      insert into audit_entries (${AUDITED})
      select
        1, 'update', 'record', w.id::text, $1::integer, 1, $9::jsonb, ${bounded("f.before")}, ${bounded("f.after")}
      from written w, lateral (
        select
          coalesce(jsonb_object_agg(key, coalesce(w.was -> key, 'null')), '{}') as before,
          coalesce(jsonb_object_agg(key, value), '{}') as after
        from jsonb_each($6::jsonb) c
        where coalesce(w.was -> key, 'null') <> value
      ) f
    )
  select (select ${SENT}::text from written) as json
  from db
`;

const PER_PAGE = 20;
const WINDOW = 5_000;
const NOTHING = Object.fromEntries(Object.keys(SCHEMA.fields).map((name) => [name, null]));

/** @param newId creates record ids */
export function bareStatements(sql: postgres.Sql, newId: () => string) {
  const run = async (text: string, { db, lock_version }: Known, ...rest: postgres.ParameterOrJSON<never>[]) => {
    const parameters = [db, lock_version, NOTHING, ...rest];
    const [row] = await sql.unsafe<{ json: string; rows: number }[]>(text, parameters, { prepare: true });
    return row;
  };
  const json = async (...args: Parameters<typeof run>) => (await run(...args))?.json;
  return {
    find: (known: Known, id: string) => json(FIND, known, id, known.table),
    listOfCity: (known: Known, city: string) => json(LIST_OF_CITY, known, known.table, city, PER_PAGE),
    listOfCustomer: (known: Known, customer: string) => json(LIST_OF_CUSTOMER, known, known.table, customer, PER_PAGE),
    async search(known: Known, q: string) {
      const like = `%${q.toLowerCase()}%`;
      const newest = await run(SEARCH_NEWEST, known, known.table, like, PER_PAGE, WINDOW);
      return newest?.rows === PER_PAGE ? newest.json : await json(SEARCH, known, known.table, like, PER_PAGE);
    },
    async insert({ db, lock_version, table }: Known, data: Data) {
      const { name = "", city = "", customer = "", amount = 0, note = "", at = "" } = data;
      const search = [name, city, customer, note].map((text) => text.toLowerCase());
      const id = newId();
      const now = isoNow();
      const parameters = [db, lock_version, id, table, data as Record<string, string>, search, now];
      await sql.unsafe(INSERT, [...parameters, city, customer, `${amount}`, at, ACTOR], PREPARED);
      return created(id, data, now);
    },
    async insertPlain(code: string, data: Data) {
      const { name = "", city = "", customer = "", amount = 0, note = "", at = "" } = data;
      const id = newId();
      const now = isoNow();
      await sql.unsafe(insertPlain(code), [id, name, city, customer, `${amount}`, note, at, now], PREPARED);
      return created(id, data, now);
    },
    update: (known: Known, id: string, { note = "" }: Data) =>
      json(UPDATE, known, id, known.table, { note }, 4, note.toLowerCase(), ACTOR),
  };
}

/** What the audit log keeps of an actor. */
const ACTOR = { via: "token", id: 1, address: "127.0.0.1", request_id: "01234567-89ab-7def-8123-456789abcdef" };

const PREPARED = { prepare: true };
const isoNow = () => new Date().toISOString().replace("Z", "+00:00");

const created = (id: string, data: Data, now: string) =>
  JSON.stringify({
    id,
    table_name: null,
    data: { ...NOTHING, ...data },
    department_id: null,
    created_by_id: 1,
    created_at: now,
    updated_at: now,
  });
