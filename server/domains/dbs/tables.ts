/** Applies a change of a schema to the tables of its database. */
import type { Sql } from "../../database/pool.ts";
import { type Fields, invalid } from "../../errors.ts";
import { knownTable, type Progress, reindex, type Table } from "../../store/store.ts";
import { type Renamed, renamedSearch } from "./renames.ts";
import type { Restriction } from "../../visibility.ts";
import { renameInViews } from "./views/rename.ts";
import {
  countRecords,
  dropTable,
  insertTable,
  listTables,
  type OwnDb,
  type StoredTable,
  updateTable,
} from "./table_queries.ts";

/** A refusal counts records up to this number. */
const COUNTED = 1_000;

interface Schemas extends Renamed {
  after: ReadonlyMap<string, Table>;
  /** Tables that may be dropped although they have records. */
  drop_tables: readonly string[];
}

export async function addTables(tx: Sql, db: OwnDb, tables: Iterable<Table>): Promise<void> {
  for (const { name, fields } of tables) {
    await insertTable(tx, db, name, searchedIn(fields, []));
  }
}

/**
 * @returns whether subscribers may have seen what is no longer so: a table or a field was removed or renamed, or has another
 *   type, which may write its values in another way
 * @throws {Refusal} 422 if records would be dropped without `drop_tables`, or do not fit
 */
export async function changeTables(
  tx: Sql,
  progress: Progress,
  author: Restriction,
  db: OwnDb,
  { before, after, tables, fields, drop_tables }: Schemas,
): Promise<boolean> {
  const stored = (await listTables(tx, db)).map((table) => ({ ...table, name: tables.get(table.name) ?? table.name }));
  const leaving = stored.filter(({ name }) => !after.has(name));
  await proveLeaving(tx, db, leaving, drop_tables, after);
  let loses = leaving.length + tables.size > 0;
  for (const { id, name, searched } of stored) {
    const [was, becomes] = [before.get(name), after.get(name)];
    if (!was || !becomes) {
      await dropTable(tx, db, id);
      continue;
    }
    const renamed = fields.get(name);
    loses ||= renamed !== undefined ||
      [...was.fields].some(([name, { type }]) => becomes.fields.get(name)?.type !== type);
    const places = searchedIn(becomes.fields, renamedSearch(searched, renamed));
    await updateTable(tx, db, id, name, places);
    if (renamed) await renameInViews(tx, db, id, renamed);
    await reindex(tx, progress, author, { before: was, after: knownTable(becomes, id, places), renamed });
  }
  await addTables(tx, db, [...after.values()].filter(({ name }) => !stored.some((table) => table.name === name)));
  return loses;
}

async function proveLeaving(
  tx: Sql,
  db: OwnDb,
  leaving: readonly StoredTable[],
  drop_tables: readonly string[],
  after: Schemas["after"],
): Promise<void> {
  const kept = drop_tables.filter((name) => !leaving.some((table) => table.name === name));
  const faults: string[] = [];
  for (const { id, name } of leaving) {
    if (drop_tables.includes(name)) continue;
    const count = await countRecords(tx, db, id, COUNTED + 1);
    if (count > 0) faults.push(losing(name, count));
  }
  const fields: Fields = {
    ...(kept.length > 0 &&
      {
        drop_tables: kept.map((name) =>
          `names ${named(name)}, which ${after.has(name) ? "the schema leaves in" : "is not there"}`
        ),
      }),
    ...(faults.length > 0 && { schema: faults }),
  };
  if (Object.keys(fields).length > 0) throw invalid(fields);
}

const named = (name: string) => name || "the table without a name";

function losing(name: string, count: number): string {
  const records = count === 1
    ? "1 record; delete it first"
    : `${count > COUNTED ? `more than ${COUNTED}` : count} records; delete them first`;
  return `leaves out ${named(name)}, which has ${records}, or send drop_tables: [${JSON.stringify(name)}]`;
}

/** The positions of the fields that `q` searches. Known fields keep theirs, so that a new field needs no rewrite. */
function searchedIn(fields: Table["fields"], known: readonly string[]): string[] {
  const texts = [...fields].flatMap(([name, { type }]) => type === "string" || type === "text" ? [name] : []);
  return [...known, ...texts.filter((name) => !known.includes(name))];
}
