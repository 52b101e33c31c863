import { Refusal } from "../../errors.ts";
import type { KnownDb, KnownTable } from "../../store/store.ts";

/**
 * The table that a request means.
 *
 * @throws {Refusal} 400 if the request names none of several tables; 404 if there is no such table. Both list the tables
 */
export function tableOf(db: KnownDb, name = ""): KnownTable {
  const table = db.tables.get(name);
  if (table) return table;
  const tables = [...db.tables.keys()].filter(Boolean);
  if (!name) {
    throw new Refusal(400, "This database has several tables: name one in table_name", {
      more: { code: "table_name_required", tables },
    });
  }
  throw new Refusal(404, `There is no table ${name}`, { more: { tables } });
}
