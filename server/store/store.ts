/**
 * What the rest of the server knows of the record store: databases as their authors defined them.
 *
 * A database has one table, named "", or several. A table's records are rows of one PostgreSQL table; the fields that
 * an index shall serve stand in its slots beside the data. Who works with records is `records.ts`, `changes.ts`.
 */

export const FIELD_TYPES = ["string", "text", "integer", "number", "boolean", "datetime", "date", "time"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface Field {
  type: FieldType;
  required: boolean;
}

/** Columns beside the data that have an index each. Source: spec, "Index names". */
export const SLOTS = ["str_1", "str_2", "str_3", "int_1", "int_2", "time_1", "time_2"] as const;
export type Slot = (typeof SLOTS)[number];

/** One table, as its schema says. Maps keep the order of the schema. */
export interface Table {
  name: string;
  fields: ReadonlyMap<string, Field>;
  /** Field → slot. */
  slots: ReadonlyMap<string, Slot>;
}

export interface KnownTable extends Table {
  id: number;
  /** The fields that `q` looks into, by their place in a record's `search`. Places of fields that are gone stay. */
  searched: readonly string[];
}

/** What `auto_fields` may write. Source: spec, "public_methods". */
export const VARIABLES = ["{ip}", "{cookie_key}", "{user_id}", "{user_name}"] as const;
export type Variable = (typeof VARIABLES)[number];

/** Operations that need no login. One that is not there is nobody's. */
export interface PublicMethods {
  list?: { scope_by?: string };
  create?: {
    allowed_fields?: string[];
    required_fields?: string[];
    default_values?: Record<string, string | number | boolean | null>;
    auto_fields?: Record<string, Variable>;
  };
  update?: { allowed_fields?: string[]; scope_by?: string };
  delete?: { scope_by?: string };
}

export interface KnownDb {
  id: number;
  account_id: number;
  department_id: number | null;
  code: string;
  tables: ReadonlyMap<string, KnownTable>;
  public_methods: PublicMethods;
  /** Of callers without login, a minute and address; 0 is none. */
  public_write_limit: number;
  /** Changes are kept for subscribers. */
  live: boolean;
  lock_version: number;
}

/** Databases as the rest of the server finds them. */
export interface Databases {
  find(account_id: number, code: string): Promise<KnownDb | undefined>;
  /** Whether it still is so in the database. */
  isCurrent(db: KnownDb): Promise<boolean>;
  /** Call after a change: it holds at once in this process. */
  forget(db_id: number): void;
}

export type ChangeKind = "create" | "update" | "delete";

/** A row of `records` as a change keeps it. Times are PostgreSQL's. */
export interface StoredRow {
  id: string;
  table_id: number;
  data: Record<string, string | number | boolean>;
  department_id: number | null;
  created_by_id: number | null;
  created_at: string;
  updated_at: string;
}

export interface StoredChange {
  seq: number;
  table_id: number;
  record_id: string;
  kind: ChangeKind;
  was: StoredRow | null;
  became: StoredRow | null;
}

/** What a follower is told; `reset`: changes are missing, read the records anew and go on from here. */
export type FeedEvent =
  | { kind: "ready" | "reset"; seq: number }
  | { kind: "changes"; changes: StoredChange[] };

export interface Feeds {
  /**
   * Follows a database until the signal aborts, or the database is deleted.
   *
   * @param after the last change that the follower has seen; undefined begins now
   */
  follow(db_id: number, after: number | undefined, signal: AbortSignal): AsyncGenerator<FeedEvent>;
  /** Lets every follower go. */
  end(): void;
  close(): Promise<void>;
}
