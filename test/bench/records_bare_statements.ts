/**
 * The statements of server/store, for the one schema of the bench. The bench checks that both servers give the same
 * answers before it measures.
 */
import type postgres from "postgres";
import { SCHEMA } from "./records_load.ts";
import type { Known } from "./records_stage.ts";

export interface Data {
  name?: string;
  city?: string;
  customer?: string;
  amount?: number;
  note?: string;
  at?: string;
}

/** $1 and $2 are the database and its version. */
const DB = "(select id as db_id from dbs where id = $1 and lock_version = $2) db";
const HELD_DB = `
  select id as db_id
  from dbs
  where id = $1 and lock_version = $2 and coalesce(live_until > now(), false) = false
  for key share nowait
`;

/** $3 has every field as null. */
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

const list = (condition: string, order: string) => `
  select (
    select coalesce(json_agg(${SENT}), '[]')
    from (select * from records where table_id = $4 and ${condition} order by ${order} limit $6 offset 0) page
  )::text as json
  from ${DB}
`;
const LIST_OF_CITY = list("str_1 is not null and str_1 = $5::text", "id desc");
const LIST_OF_CUSTOMER = list("str_2 is not null and str_2 = $5::text and int_1 is not null", "int_1 desc, id desc");

/** What many records have stands among the newest: $7 of them are looked at before the index of texts. */
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

const INSERT = `
  with
    db as (${HELD_DB}),
    written as (
      insert into records (
        id, table_id, data, search, department_id, created_by_id, created_at, updated_at, str_1, str_2, int_1, time_1
      )
      select
        $4::uuid, $5::int, $6::jsonb, $7::text[], null, 1, $8::timestamptz, $8, $9::text, $10::text, $11::bigint,
        $12::timestamptz
      from db
      returning *
    )
  select ${SENT}::text as json from written
`;

const UPDATE = `
  with
    db as (${HELD_DB}),
    written as (
      update records r
      set
        data = jsonb_strip_nulls(r.data || $6::jsonb),
        search = (
          select array_agg(coalesce($7::jsonb ->> i::text, r.search[i], '') order by i)
          from generate_series(1, 4) i
        ),
        updated_at = greatest(date_trunc('milliseconds', now()), r.updated_at)
      from db
      where id = $4 and table_id = $5
      returning r.*
    )
  select (select ${SENT}::text from written) as json
  from db
`;

const PER_PAGE = 20;
const WINDOW = 5_000;
const NOTHING = Object.fromEntries(Object.keys(SCHEMA.fields).map((name) => [name, null]));

/** @param newId makes the id of a record */
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
    insert(known: Known, { name = "", city = "", customer = "", amount = 0, note = "", at = "" }: Data) {
      const search = [name, city, customer, note].map((text) => text.toLowerCase());
      const data = { name, city, customer, amount, note, at };
      const now = new Date().toISOString();
      return json(INSERT, known, newId(), known.table, data, search, now, city, customer, `${amount}`, at);
    },
    update: (known: Known, id: string, { note = "" }: Data) =>
      json(UPDATE, known, id, known.table, { note }, { 4: note.toLowerCase() }),
  };
}
