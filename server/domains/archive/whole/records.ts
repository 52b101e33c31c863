/** Writes the records of an archive. */
import { z } from "zod";
import { actorOf } from "../../../actor.ts";
import { invalid, unavailable } from "../../../errors.ts";
import { parseExactly } from "../../../input/exact_json.ts";
import { fieldsOf, sentenceOf } from "../../../input/messages.ts";
import { Id, Uuid } from "../../../input/shapes.ts";
import { findKnownDb, type KeptRecord, readValues, restoreRecords, STALE } from "../../../store/store.ts";
import { Moment, type Restoring } from "./moved.ts";

/** Not cleaned by zod: a key that is no field must be reported. */
const Data = z.custom<Record<string, unknown>>((data) =>
  typeof data === "object" && data !== null && !Array.isArray(data)
);
const Line = z.object({
  id: Uuid,
  data: Data,
  department_id: Id.nullable(),
  created_by_id: Id.nullable(),
  created_at: Moment,
  updated_at: Moment,
});

/** Rows per statement. */
const AT_ONCE = 1_000;

/** @param file the name without its folder: `orders/000001.ndjson` or `library/books/000001.ndjson` */
export async function insertRecordLines(file: string, lines: string[], restoring: Restoring): Promise<number> {
  const { ctx, ids, account } = restoring;
  const [code = "", table_name = ""] = file.split("/").slice(0, -1);
  const db = await findKnownDb(ctx.sql, account, code);
  const table = db?.tables.get(table_name);
  if (!db || !table) throw invalid({ base: ["belongs to a table that the archive does not have"] });
  const records = lines.map((line, index): KeptRecord => {
    const fault = (text: string) => invalid({ base: [`line ${index + 1}: ${text}`] });
    const { data: read, error } = Line.safeParse(parseLine(line, fault));
    if (error) throw fault(sentenceOf(fieldsOf(error.issues)));
    // An export writes blank values as null.
    const { changes, faults } = readValues(table, read.data, true);
    if (Object.keys(faults).length > 0) throw fault(sentenceOf(faults));
    const { id, created_at, updated_at } = read;
    const department_id = ids.find("department", read.department_id) ?? null;
    return { id, changes, department_id, created_by_id: read.created_by_id, created_at, updated_at };
  });
  await ids.reserve(ctx.sql, "user", records.map(({ created_by_id }) => created_by_id));
  const place = { db, table, by: actorOf(ctx.call) };
  for (let at = 0; at < records.length; at += AT_ONCE) {
    const batch = records.slice(at, at + AT_ONCE)
      .map((record) => ({ ...record, created_by_id: ids.find("user", record.created_by_id) ?? null }));
    if (await restoreRecords(ctx.sql, place, batch) === STALE) {
      throw unavailable("The schema of a database has changed during the import");
    }
  }
  return records.length;
}

function parseLine(line: string, fault: (text: string) => Error): unknown {
  try {
    return parseExactly(line);
  } catch {
    throw fault("is not valid JSON");
  }
}
