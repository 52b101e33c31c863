/** A database's changes as they are stored, and as the server's subscribers receive them. */
import type { KnownDb } from "../definition/known_db.ts";

export type ChangeKind = "create" | "update" | "delete";

/** A record at the time of a change, as `to_jsonb` wrote its row. */
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

/** `reset`: changes before `seq` are missing; the subscriber must read the records again and continue from `seq`. */
export type FeedEvent =
  | { kind: "ready" | "reset"; seq: number }
  | { kind: "changes"; changes: StoredChange[] };

export interface Feeds {
  /**
   * Follows a database until the signal aborts or the database is deleted.
   *
   * @param after the last change that the subscriber has seen; undefined starts at the current one
   */
  follow(
    db: Pick<KnownDb, "id" | "account_id">,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<FeedEvent>;
  /** Ends every subscription. */
  end(): void;
  close(): Promise<void>;
}
