/** Loads the records of the bench with SQL. The rows are those that the server would write; it would take 100 times as long. */
import type postgres from "postgres";

/** What a bare statement needs to know of a measured database. */
export interface Known {
  db: number;
  lock_version: number;
  table: number;
}

/** The schema of every database of the bench. `SEARCHED`: its text fields, in the order of the column `search`. */
export const SCHEMA = {
  fields: {
    name: "string",
    city: "string",
    customer: "string",
    amount: "integer",
    note: "text",
    at: "datetime",
  },
  indexes: { idx_str_1: "city", idx_str_2: "customer", idx_int_1: "amount", idx_time_1: "at" },
};
export const SEARCHED = ["name", "city", "customer", "note"];

/** Number of cities in each table: half a percent of its records are in one city. */
export const CITIES = 200;
/** The same in a table of any size. */
const RECORDS_OF_A_CUSTOMER = 50;
export const customersOf = (records: number) => Math.ceil(records / RECORDS_OF_A_CUSTOMER);

/** The word that only the note of the record with this number contains. */
export const wordOf = (n: number) => `w${(n * 2_654_435_761 % 2 ** 32).toString(16).padStart(8, "0")}`;

const INSERT = `
  insert into records (id, table_id, data, search, created_at, updated_at, str_1, str_2, int_1, time_1)
  select
    (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n || '/' || $1), 1, 3)
      || '8' || substr(md5(n || '/' || $1), 4, 15))::uuid,
    $1::int,
    jsonb_build_object(
      'name', name, 'city', city, 'customer', customer, 'amount', amount, 'note', note, 'at', iso(at)
    ),
    array[lower(name), lower(city), lower(customer), lower(note)],
    at, at, city, customer, amount, at
  from (
    select
      n,
      timestamptz '2026-01-01' + n * interval '1 second' as at,
      'Order ' || n as name,
      'City ' || n % ${CITIES} as city,
      'Customer ' || n % $3::int as customer,
      (n * 7919::bigint) % 100000 as amount,
      'Wants ' || (array['apples', 'pears', 'plums', 'figs'])[1 + n % 4] || ' and w'
        || lpad(to_hex((n * 2654435761::bigint) % 4294967296), 8, '0') as note
    from generate_series(1, $2::int) n
  ) made
`;

/** A connection of its own, or the server's. */
// deno-lint-ignore no-explicit-any -- the driver's types of values do not matter here
type Loader = postgres.Sql<any>;

/**
 * Fills tables. Indexes are dropped and built again after the rows, which takes a tenth of the time.
 *
 * @param tables table id → number of records
 */
export async function loadRecords(sql: Loader, tables: ReadonlyMap<number, number>): Promise<void> {
  const indexes = await sql<{ indexname: string; indexdef: string }[]>`
      select indexname, indexdef
      from pg_indexes
      where schemaname = 'public' and tablename = 'records' and indexname <> 'records_pkey'
    `;
  await sql.begin(async (tx) => {
    await tx`set local maintenance_work_mem = '256MB'`;
    await tx`drop index ${tx(indexes.map(({ indexname }) => indexname))}`;
    for (const [table, records] of tables) {
      await tx.unsafe(INSERT, [table, records, customersOf(records)]);
    }
    for (const { indexdef } of indexes) {
      await tx.unsafe(indexdef);
    }
  });
  await sql`vacuum (freeze, analyze)`;
  await sql`checkpoint`;
}

/**
 * Fills a plain table for each measured database, as an author would create it for these records: typed columns, a
 * primary key, and an index for each field that the schema indexes. It has no index of texts.
 */
export async function makePlainTables(sql: postgres.Sql, sizes: readonly [code: string, records: number][]) {
  for (const [code, records] of sizes) {
    const name = `plain_${code}`;
    await sql`
      create table ${sql(name)} (
        id uuid primary key,
        name text,
        city text,
        customer text,
        amount bigint,
        note text,
        at timestamptz,
        created_by_id integer,
        created_at timestamptz not null,
        updated_at timestamptz not null
      )
    `;
    await sql`
      insert into ${sql(name)}
      select
        id, data ->> 'name', str_1, str_2, int_1, data ->> 'note', time_1, created_by_id, created_at, updated_at
      from records
      where table_id = (select t.id from db_tables t join dbs d on d.id = t.db_id where d.code = ${code})
      limit ${records}
    `;
    for (const field of ["city", "customer", "amount", "at"]) {
      await sql`create index on ${sql(name)} (${sql(field)}, id)`;
    }
    await sql`vacuum (freeze, analyze) ${sql(name)}`;
  }
}
