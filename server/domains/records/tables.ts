import { Refusal } from "../../errors.ts";
import type { KnownDb, KnownTable } from "../../store/store.ts";

/**
 * The table that a request means.
 *
 * @param part names the part of the request in the refusal, where several parts name tables
 * @throws {Refusal} 400 if the request names none of several tables; 404 if there is no such table. Both list the tables
 */
export function tableOf(db: KnownDb, name = "", part?: string): KnownTable {
  const table = db.tables.get(name);
  if (table) return table;
  const tables = [...db.tables.keys()].filter(Boolean);
  if (!name) {
    const several = "This database has several tables: name one in table_name";
    throw new Refusal(400, part === undefined ? several : `${part} names no table. ${several}`, {
      more: { code: "table_name_required", tables },
    });
  }
  throw new Refusal(
    404,
    part === undefined ? `There is no table ${name}` : `${part} names a table that is not there: ${name}`,
    {
      more: { tables },
    },
  );
}
