/**
 * The `platform` module, through which an app uses its server. In svelte, vue, react, kaboom and phaser apps:
 * `import { action, context, db, PlatformError, user } from "platform"`. In js and html apps, `window.platform` has the
 * same members.
 *
 * For completion in an editor, save this file beside the source, or reference it there:
 * `/// <reference path="./platform.d.ts" />`.
 */
declare module "platform" {
  /**
   * Runs the flow behind one of the app's actions and waits until the run has ended, however long that takes.
   *
   * The call itself is sent once and never repeated. If the run takes long, its status is polled with growing pauses.
   *
   * @example
   * ```js
   * const { rate } = await action("rate", { currency: "EUR" }, { timeout: 20_000 });
   * ```
   *
   * @param name one of the names in the app's `actions`
   * @param params the flow's input, sent as JSON: a Date becomes its ISO text, NaN becomes null, undefined is left out
   * @returns the data that the flow returned
   * @throws {PlatformError} if the server refuses the call, the flow fails (`code` is `action_failed`), the server
   * cannot be reached (`network`), or the timeout expires (`timeout`)
   * @throws {TypeError} if `params` is not an object, for example an array or FormData (use `Object.fromEntries(form)`)
   * @throws the signal's reason if it is aborted; the run continues on the server
   */
  export function action<Data = unknown>(name: string, params?: JsonObject, options?: ActionOptions): Promise<Data>;

  export interface ActionOptions {
    /** Ends the wait. The run continues on the server. */
    signal?: AbortSignal | undefined;
    /** In milliseconds, from the call on. Without it, the wait lasts as long as the run. */
    timeout?: number | undefined;
  }

  /**
   * The public methods of a database. The database's `public_methods` decide what is allowed.
   *
   * @example
   * ```ts
   * const todos = db<{ title: string; done: boolean }>("todos");
   * await todos.create({ title: "Water the plants" });
   * const open = await todos.list({ filter: { done: false }, sort: "-created_at" });
   * ```
   *
   * @param code the database's code; without it, the app's own database (`db_code`)
   * @throws {PlatformError} with `code` `no_database`, if the app has no database and no code is passed
   */
  export function db<Fields extends object = Record<string, unknown>>(code?: string): Database<Fields>;

  /** Every method throws a `PlatformError` if the server refuses it. `fields` then names the fields that are wrong. */
  export interface Database<Fields extends object = Record<string, unknown>> {
    /** Up to 100 records, newest first, unless the options say otherwise. */
    list(options?: ListOptions<Fields>): Promise<StoredRecord<Fields>[]>;
    /** The server ignores fields that the method does not allow. The result is the record as stored. */
    create(data: Partial<Fields>): Promise<StoredRecord<Fields>>;
    /** Changes the given fields and keeps the others. Null clears a field. */
    update(id: string, data: { [Field in keyof Fields]?: Fields[Field] | null }): Promise<StoredRecord<Fields>>;
    delete(id: string): Promise<{ id: string }>;
    /**
     * Calls the listener with each change from now on. It needs the database's public `list` and covers the same
     * records. A broken connection is reopened; no change is missed within 24 hours.
     *
     * @example
     * ```js
     * const stop = db("todos").subscribe(({ kind, record }) => {
     *   if (kind === "create") todos = [...todos, record];
     *   if (kind === "reset") load();
     * });
     * ```
     *
     * @returns a function that ends the subscription
     */
    subscribe(listener: (change: Change<Fields>) => void): () => void;
  }

  export type Change<Fields extends object = Record<string, unknown>> =
    | { kind: "create" | "update"; record: StoredRecord<Fields> }
    /** The record was deleted, or the viewer may no longer see it. */
    | { kind: "delete"; record: { id: string } }
    /** `ready`: every later change is reported. `reset`: changes were missed, list the records again. */
    | { kind: "ready" | "reset" }
    /** The server refuses the subscription; it has ended. */
    | { kind: "error"; error: PlatformError };

  /** A record's own fields, and the fields that every record has. */
  export type StoredRecord<Fields extends object = Record<string, unknown>> = Fields & {
    /** UUID. */
    id: string;
    /** ISO 8601, UTC. */
    created_at: string;
    /** ISO 8601, UTC. */
    updated_at: string;
  };

  export interface ListOptions<Fields extends object = Record<string, unknown>> {
    /** From 1. */
    page?: number;
    /** 100 by default, at most 500. */
    per_page?: number;
    /** A field name. A leading minus sorts in descending order. */
    sort?: `${"" | "-"}${keyof StoredRecord<Fields> & string}`;
    /** For each field, the value that it must have, or comparisons that must all hold. */
    filter?: { [Field in keyof StoredRecord<Fields>]?: Filter<StoredRecord<Fields>[Field]> };
  }

  export type Filter<Value> = Value | {
    eq?: Value;
    ne?: Value;
    gt?: Value;
    gte?: Value;
    lt?: Value;
    lte?: Value;
    in?: readonly Value[];
    /** A part of a text field, regardless of case. */
    contains?: string;
  };

  /** The viewer, the same as `context.user`. Null for a visitor. */
  export const user: AppUser | null;

  /** The viewer and the app. A frozen object, the same as `window.PlatformAppContext`. */
  export const context: AppContext;

  export interface AppContext {
    /** Null for a visitor. */
    readonly user: AppUser | null;
    /** Null outside an app page, such as in a test. */
    readonly app: App | null;
  }

  export interface App {
    /** UUID. */
    readonly id: string;
    readonly name: string;
    /** The code of the database that `db()` uses. */
    readonly db_code: string | null;
  }

  export interface AppUser {
    readonly login: string;
    readonly email: string;
    readonly name: string;
    readonly role: "admin" | "manager" | "user" | "guest";
    readonly team_ids: readonly number[];
    readonly group_ids: readonly number[];
    readonly department_ids: readonly number[];
    readonly team_names: readonly string[];
    readonly group_names: readonly string[];
    readonly department_names: readonly string[];
  }

  /** Thrown by every failed call. Its message is a sentence that can be shown to people. */
  export class PlatformError extends Error {
    constructor(message: string, details?: Partial<Pick<PlatformError, Detail>> & { cause?: unknown });
    override readonly name: "PlatformError";
    /** The HTTP status: 401, 404, 422, …; 200 if the flow itself failed; 0 if there was no answer. */
    readonly status: number;
    /**
     * The server's error code, such as `not_found` or `unauthorized`, or one of these: `invalid` (see `fields`),
     * `action_failed`, `timeout`, `network`, `bad_answer`, `no_app`, `no_database`, `unknown`.
     */
    readonly code: string;
    /** With status 422, the messages for each field. `base` holds those that concern no single field. */
    readonly fields: Readonly<Record<string, readonly string[]>> | undefined;
    /** The run that `action()` waited for, if it was started. */
    readonly flow_process_id: string | undefined;
    /** Seconds to wait before trying again, if the server said so. */
    readonly retry_after: number | undefined;
  }

  type Detail = "status" | "code" | "fields" | "flow_process_id" | "retry_after";

  /** Any value that JSON writes as an object. */
  export type JsonObject = (object | Readonly<Record<string, unknown>>) & { readonly [Symbol.iterator]?: never };
}

interface Window {
  /** Present in js and html apps whose source mentions `platform`. */
  platform: typeof import("platform");
  PlatformAppContext: import("platform").AppContext;
}
// deno-lint-ignore no-var -- only a `var` is a property of the window
declare var platform: Window["platform"];
// deno-lint-ignore no-var -- as above
declare var PlatformAppContext: Window["PlatformAppContext"];
