/**
 * Applies a new definition to the records of a table: checks that they fit, carries the values of renamed fields over,
 * drops those of removed ones and fills the index slots. It works page by page, so that memory does not grow with the
 * table, and in the caller's transaction, so that other transactions see all of the change or nothing.
 */
import type { Pool, Sql } from "../../database/pool.ts";
import { type Fields, invalid } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { type Restriction, visibleTo } from "../../visibility.ts";
import { searchOf } from "../write/search_text.ts";
import { type Field, type KnownTable, SLOTS, type Table } from "./table.ts";
import { allSlotsOf, type Data, readValues } from "./values.ts";

/**
 * The embedded database blocks the process for as long as a statement takes. On a busy machine, a request waited for up
 * to 23 s with pages of 2,000 records, and the change of 50,000 records took no less time.
 */
const AT_ONCE = 200;
/** The number of ids that a refusal lists for a field. */
const NAMED = 5;

/** The records that do not fit one field. */
interface Unfit {
  count: number;
  /** The fault of the first one. */
  reason: string;
  /** The first ids that the author sees. */
  ids: string[];
}

interface Definitions {
  /** With the names that its fields have after the change. */
  before: Table;
  after: KnownTable;
  /** Old name → new name, of the fields that stored records have by their old names. */
  renamed?: ReadonlyMap<string, string> | undefined;
}

interface Stored {
  id: string;
  department_id: number | null;
  data: Data;
}

/**
 * @param author who changes the schema
 * @throws {Refusal} 422 on each field that records do not fit, such as `schema.fields.price`, with the reason, the number of
 *   these records and the first ids that the author sees
 */
export async function reindex(
  tx: Sql,
  progress: Progress,
  author: Restriction,
  { before, after, renamed = new Map() }: Definitions,
): Promise<void> {
  if (renamed.size === 0 && !touchesRecords(before, after)) return;
  const total = await countRecords(tx, after.id);
  if (total === 0) return;
  const unfit = new Map<string, Unfit>();
  for (let last: string | undefined, done = 0;;) {
    const rows = await listStored(tx, after.id, last);
    if (rows.length === 0) break;
    const fitting = rows.flatMap(({ id, department_id, data }) => {
      const named = Object.entries(data).map(([name, value]) => [renamed.get(name) ?? name, value] as const);
      const kept = Object.fromEntries(named.filter(([name]) => before.fields.has(name) && after.fields.has(name)));
      const { changes, faults } = readValues(after, kept, true);
      const names = Object.keys(faults);
      if (names.length === 0) return [rowOf(after, id, changes)];
      for (const name of names) {
        const noted = unfit.get(name) ?? { count: 0, reason: faults[name]?.[0] ?? "", ids: [] };
        noted.count++;
        if (noted.ids.length < NAMED && visibleTo(author, department_id)) noted.ids.push(id);
        unfit.set(name, noted);
      }
      return [];
    });
    if (unfit.size === 0) await updateStored(tx, after.id, fitting);
    last = rows.at(-1)?.id;
    progress.tell(done += rows.length, total);
  }
  if (unfit.size > 0) throw invalid(faultsOf(after, unfit));
}

function faultsOf({ name, fields }: Table, unfit: ReadonlyMap<string, Unfit>): Fields {
  const path = name === "" ? "schema.fields" : `schema.tables.${name}.fields`;
  // In the order of the schema, not of the records.
  return Object.fromEntries([...fields.keys()].flatMap((field) => {
    const found = unfit.get(field);
    if (!found) return [];
    const { count, reason, ids } = found;
    const named = ids.length === 0 ? "" : `: ${ids.join(", ")}${count > ids.length ? ", …" : ""}`;
    return [[`${path}.${field}`, [
      `does not fit ${count} ${count === 1 ? "record" : "records"}, because a value ${reason}${named}`,
    ]]];
  }));
}

/** Whether records must be checked or rewritten. A new optional field without an index needs neither. */
function touchesRecords(before: Table, after: Table): boolean {
  const isNarrower = ([name, was]: [string, Field]) => {
    const is = after.fields.get(name);
    return !is || is.type !== was.type || is.required && !was.required;
  };
  const demands = [...after.fields].some(([name, { required }]) => required && !before.fields.has(name));
  const slots = ({ slots }: Table) => JSON.stringify([...slots].toSorted());
  return demands || [...before.fields].some(isNarrower) || slots(before) !== slots(after);
}

const rowOf = (table: KnownTable, id: string, data: ReturnType<typeof readValues>["changes"]) => {
  const kept = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)) as Data;
  return { id, data: kept, search: searchOf(table, kept), ...NO_SLOTS, ...allSlotsOf(table, kept) };
};

const NO_SLOTS = Object.fromEntries(SLOTS.map((slot) => [slot, null]));

async function countRecords(sql: Sql, table_id: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from records where table_id = ${table_id}`;
  return row?.count ?? 0;
}

/** A page of records in the order of creation, which the updates do not change. */
const listStored = (sql: Sql, table_id: number, after: string | undefined) =>
  sql<Stored[]>`
    select id, department_id, data
    from records
    where table_id = ${table_id}
      ${
    after === undefined ? sql`` : sql`and (created_at, id) > (select created_at, id from records where id = ${after})`
  }
    order by created_at, id
    limit ${AT_ONCE}
  `;

/** Keeps `updated_at`, because no user has changed the record. */
async function updateStored(sql: Sql, table_id: number, rows: ReturnType<typeof rowOf>[]): Promise<void> {
  await sql`
    update records r
    set
      data = n.data, search = n.search,
      str_1 = n.str_1, str_2 = n.str_2, str_3 = n.str_3,
      int_1 = n.int_1, int_2 = n.int_2, time_1 = n.time_1, time_2 = n.time_2
    from jsonb_populate_recordset(null::records, ${JSON.stringify(rows)}::text::jsonb) n
    where r.id = n.id
      and r.table_id = ${table_id}
  `;
}

export interface Progress {
  tell(done: number, total: number): void;
  /** Must be called after the transaction. */
  end(): Promise<void>;
}

/**
 * Writes the progress on another connection, because other transactions would not see it in this one. It does not wait
 * for that write: the embedded database executes it only after this transaction.
 */
export function progressOf({ sql, log }: { sql: Pool; log: Log }, db_id: number): Progress {
  let telling: Promise<unknown> | undefined;
  const say = async (done: number, total: number) => {
    try {
      await sql`
        insert into reindexings (db_id, done, total)
        values (${db_id}, ${done}, ${total})
        on conflict (db_id) do update set done = ${done}, total = ${total}, told_at = now()
      `;
    } catch (error) {
      log.warn("progress not written", { fault: String(error) });
    }
  };
  return {
    tell(done, total) {
      telling ??= say(done, total).finally(() => telling = undefined);
    },
    async end() {
      // A progress write that is still on its way must not arrive after the deletion.
      await telling;
      await sql`delete from reindexings where db_id = ${db_id}`;
    },
  };
}
