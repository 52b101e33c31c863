/** What the bindings of React, Vue and Svelte have in common. */
import type { AtriumError, CallOptions, Changed, ConnectionState, RecordOf, Run } from "./index.d.ts";

export interface RecordsState<Fields> {
  /** As the server has them, with the caller's own changes on top that are on their way to it. */
  readonly records: readonly RecordOf<Fields>[];
  /** Of all pages; undefined unless `count` is set. */
  readonly total: number | undefined;
  /** Whether the first list has not arrived yet. */
  readonly loading: boolean;
  readonly state: ConnectionState;
  /** Why the list could not be read, or why the subscription has ended. */
  readonly error: AtriumError | undefined;
}

/** Changes are shown before the server has answered, and taken back if it refuses: then these throw. */
export interface RecordsMethods<Fields> {
  create(data: Partial<Fields>): Promise<RecordOf<Fields>>;
  update(id: string, data: Changed<Fields>): Promise<RecordOf<Fields>>;
  remove(id: string): Promise<void>;
}

export interface RunState {
  readonly run: Run | undefined;
  readonly state: ConnectionState;
  readonly error: AtriumError | undefined;
}

export interface ActionState<Result> {
  /** Calls that have not ended. */
  readonly pending: number;
  /** Of the latest call, once it has succeeded. */
  readonly data: Result | undefined;
  /** Of the latest call, if it failed. */
  readonly error: AtriumError | undefined;
}

export interface ActionMethods<Arguments extends unknown[], Result> {
  run(...rest: Arguments): Promise<Result>;
}

export type { CallOptions };
