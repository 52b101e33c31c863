/**
 * The record store: the interface file, the only one that other rooms import.
 *
 * | term | meaning | word in the API |
 * |---|---|---|
 * | database | a set of tables with one schema, owned by an account | db |
 * | definition | a database's schema and public methods, kept in memory | |
 * | table | its records are rows of the one PostgreSQL table `records`; "" names the only table of a database | table_name |
 * | index slot | a column of `records` with an index, which holds a copy of one field's value | idx_str_1 … idx_time_2 |
 * | public method | an operation that callers without login may use | public_methods |
 * | stale | a statement found another `lock_version` than its definition has; it wrote nothing | |
 * | place | a table, and a condition that selects the records the caller may see | |
 * | feed | the ordered changes of a database; subscribers follow it | changes |
 *
 * Constants: definitions are cached for 5 s and checked by each statement; changes are kept for 24 hours; a plain
 * search reads the newest 5,000 records before it uses the text index.
 */
export type { Databases, KnownDb } from "./definition/known_db.ts";
export { findKnownDb } from "./definition/databases.ts";
export { readSchema } from "./definition/definition.ts";
export { provePublicMethods, PublicMethods, type Variable } from "./definition/public_methods.ts";
export { type Progress, progressOf, reindex } from "./definition/reindex.ts";
export { type Field, type FieldType, type KnownTable, knownTable, type Table } from "./definition/table.ts";
export { typesOf } from "./definition/typescript_types.ts";
export { readKept, readValues, type Value } from "./definition/values.ts";
export { type CursorPage, readCursorPage } from "./feed/cursor_page.ts";
export { holdFeed, proveHeldFeeds, resetFeed, resetFeedsOf } from "./feed/feed_queries.ts";
export { dataOf, flatRow, isoOfRow, type SeenChange, seenChange } from "./feed/seen_change.ts";
export type { ChangeKind, Feeds, StoredChange, StoredRow } from "./feed/stored_change.ts";
export { exportRecords } from "./read/export.ts";
export { conditionSql, textSql } from "./read/condition_sql.ts";
export { type Condition, readFilter, readOrder, typedText } from "./read/filter.ts";
export { findRecord, findTablesOf } from "./read/find.ts";
export { listRecords } from "./read/list.ts";
export { listMarks } from "./read/marks.ts";
export { matchingRows } from "./read/matching.ts";
export type { Place, Shape } from "./read/place.ts";
export { part } from "../database/part.ts";
export { STALE, withDb } from "./statement/statement.ts";
export { type Operation, runBatch } from "./write/batch.ts";
export { deleteRecord } from "./write/delete.ts";
export { insertRecord, insertRecords, type KeptRecord, type NewRecord, restoreRecords } from "./write/insert.ts";
export { countPublicWrite } from "./write/public_write_limit.ts";
export { updateRecord, updateTogether } from "./write/update.ts";
