/** Databases: schema, public methods, and the numbers of their tables, which views name. Records are in `records.ts`. */
import { z } from "zod";
import { part } from "../../../../database/part.ts";
import { fold, Id, LockVersion } from "../../../../input/shapes.ts";
import { provePublicMethods, PublicMethods, readSchema } from "../../../../store/store.ts";
import { NewDb } from "../../../dbs/schema.ts";
import { addTables } from "../../../dbs/tables.ts";
import { listTables } from "../../../dbs/table_queries.ts";
import { Settings } from "../../../dbs/views/schema.ts";
import { byId, Moment, type MovedTable } from "../moved.ts";

const Tables = z.array(z.object({ id: Id, name: z.string() })).max(1_000);

export const dbs: MovedTable = {
  name: "dbs",
  with: "account",
  table: part`dbs`,
  columns: part`
    id, department_id, name, code, schema, public_methods, public_write_limit, lock_version, created_at, updated_at
  `,
  made: part`name_folded`,
  selected: part`
    id, department_id, name, code, schema, public_methods, public_write_limit, lock_version, created_at, updated_at,
    (
      select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) order by t.id), '[]')
      from db_tables t
      where t.db_id = dbs.id
    ) as tables
  `,
  ...byId,
  at_once: 100,
  numbered: "db",
  references: { department_id: ["department", "null"] },
  shape: NewDb.required()
    .extend({ id: Id, lock_version: LockVersion, created_at: Moment, updated_at: Moment, tables: Tables }),
  prove: ({ schema, public_methods }) => provePublicMethods(PublicMethods.parse(public_methods), readSchema(schema)),
  settle: ({ name }) => ({ name_folded: fold(String(name)) }),
  async follow(rows, { ctx: { sql }, account, ids }) {
    for (const { id, schema, tables } of rows) {
      const db = { id: Number(id), account_id: account };
      await addTables(sql, db, readSchema(schema).values());
      const made = await listTables(sql, db);
      for (const { id: old, name } of Tables.parse(tables)) {
        const table = made.find((one) => one.name === name);
        if (table) ids.set("table", old, table.id);
      }
    }
  },
};

export const views: MovedTable = {
  name: "db_views",
  with: "account",
  table: part`db_views`,
  columns: part`table_id, name, owner_id, private_to_id, settings, created_at, updated_at`,
  made: part`name_folded`,
  selected: part`id, table_id, name, owner_id, private_to_id, settings, created_at, updated_at`,
  ...byId,
  at_once: 500,
  references: { table_id: ["table", "skip"], owner_id: ["user", "null"], private_to_id: ["user", "skip"] },
  shape: z.object({
    table_id: Id,
    name: z.string().min(1),
    owner_id: Id.nullable(),
    private_to_id: Id.nullable(),
    settings: Settings,
    created_at: Moment,
    updated_at: Moment,
  }),
  settle: ({ name }) => ({ name_folded: fold(String(name)) }),
};
