import { Refusal } from "../../errors.ts";
import type { KnownDb, KnownTable } from "../../store/store.ts";

/**
 * @throws {Refusal} 400 where several tables are there and none is named; 404 with their names where it is not there
 */
export function tableOf(db: KnownDb, name: string | undefined): KnownTable {
  const tables = [...db.tables.keys()].filter(Boolean);
  const table = db.tables.get(name ?? "");
  if (table && (name || tables.length === 0)) return table;
  if (!name) {
    throw new Refusal(400, "This database has several tables: name one in table_name", {
      more: { code: "table_name_required", tables },
    });
  }
  throw new Refusal(404, `There is no table ${name}`, { more: { tables } });
}
