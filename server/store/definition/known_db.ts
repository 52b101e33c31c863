/** A database's definition as the server keeps it in memory. */
import type { PublicMethods } from "./public_methods.ts";
import type { KnownTable } from "./table.ts";

export interface KnownDb {
  id: number;
  account_id: number;
  department_id: number | null;
  code: string;
  /** By name; the one table of a single-table database is named "". */
  tables: ReadonlyMap<string, KnownTable>;
  public_methods: PublicMethods;
  /** Writes per minute and address for callers without login; 0 refuses them. */
  public_write_limit: number;
  /** Writes log their changes for subscribers. */
  live: boolean;
  lock_version: number;
}

/** The definitions of all databases. */
export interface Databases {
  find(account_id: number, code: string): Promise<KnownDb | undefined>;
  /** Whether the stored definition still has this `lock_version`. */
  isCurrent(db: KnownDb): Promise<boolean>;
  /** Call after a change: this process reads the definition again on its next use. */
  forget(db_id: number): void;
}
