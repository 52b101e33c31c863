/**
 * What an app may use of the server that shows it: `import { action, db, user, context } from "platform"` in svelte,
 * vue, react, kaboom and phaser apps; in js and html apps the same as `window.platform`.
 *
 * For an editor, put this file into the project, or name it in the source:
 * `/// <reference path="./platform.d.ts" />`.
 */
declare module "platform" {
  /**
   * Runs the flow behind one of the app's actions and waits until it has ended, however long that takes.
   *
   * The call itself is sent once and never repeated; only the question whether it has ended is, with growing pauses.
   *
   * @example
   * ```js
   * const { rate } = await action("rate", { currency: "EUR" }, { timeout: 20_000 });
   * ```
   *
   * @param name as in the app's `actions`
   * @param params what the flow receives, as JSON has it: a Date becomes its ISO text, NaN null, undefined nothing
   * @returns what the flow gave
   * @throws {PlatformError} where the server refuses the call, the flow fails (`code` is `action_failed`), the server
   * cannot be reached (`network`), or the time is over (`timeout`)
   * @throws {TypeError} where `params` is no object, such as a list, or FormData (`Object.fromEntries(form)` is one)
   * @throws the signal's reason where it is aborted; the flow runs on
   */
  export function action<Data = unknown>(name: string, params?: JsonObject, options?: ActionOptions): Promise<Data>;

  export interface ActionOptions {
    /** Stops the waiting, not the flow. */
    signal?: AbortSignal | undefined;
    /** Milliseconds from the call to its end. Without it the wait lasts as long as the flow. */
    timeout?: number | undefined;
  }

  /**
   * The public methods of a database, within what its `public_methods` allow.
   *
   * @example
   * ```ts
   * const todos = db<{ title: string; done: boolean }>("todos");
   * await todos.create({ title: "Water the plants" });
   * const open = await todos.list({ filter: { done: false }, sort: "-created_at" });
   * ```
   *
   * @param code the app's own database (`db_code`) where it is left out
   * @throws {PlatformError} at once, with `code` `no_database`, where neither is there
   */
  export function db<Fields extends object = Record<string, unknown>>(code?: string): Database<Fields>;

  /** Every method throws a `PlatformError` where the server refuses it; what it was refused for stands in `fields`. */
  export interface Database<Fields extends object = Record<string, unknown>> {
    /** The newest 100 first, unless told. */
    list(options?: ListOptions<Fields>): Promise<StoredRecord<Fields>[]>;
    /** Fields that the method does not allow are dropped; the stored record says what became of the others. */
    create(data: Partial<Fields>): Promise<StoredRecord<Fields>>;
    /** Changes the given fields and keeps the others; null clears one. */
    update(id: string, data: { [Field in keyof Fields]?: Fields[Field] | null }): Promise<StoredRecord<Fields>>;
    delete(id: string): Promise<{ id: string }>;
    /**
     * Tells of changes as they happen, from now on, where the database's public `list` is enabled; within the same
     * scope as that. A connection that breaks is taken up again, and nothing is missed within 24 hours.
     *
     * @example
     * ```js
     * const stop = db("todos").subscribe(({ kind, record }) => {
     *   if (kind === "create") todos = [...todos, record];
     *   if (kind === "reset") load();
     * });
     * ```
     *
     * @returns a function that ends it
     */
    subscribe(listener: (change: Change<Fields>) => void): () => void;
  }

  export type Change<Fields extends object = Record<string, unknown>> =
    | { kind: "create" | "update"; record: StoredRecord<Fields> }
    /** It is gone, or no longer the viewer's to see. */
    | { kind: "delete"; record: { id: string } }
    /** `ready`: changes are told from here on. `reset`: some are missing, list the records again. */
    | { kind: "ready" | "reset" }
    /** The end: the server refuses it. */
    | { kind: "error"; error: PlatformError };

  /** A record's fields, and what every record has. */
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
    /** 100 unless told, at most 500. */
    per_page?: number;
    /** A field; a leading minus turns the order round. */
    sort?: `${"" | "-"}${keyof StoredRecord<Fields> & string}`;
    /** By field: a value that it must have, or comparisons that must all hold. */
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
    /** Part of a text. */
    contains?: string;
  };

  /** The same as `context.user`. */
  export const user: AppUser | null;

  /** What the page tells the app: `window.PlatformAppContext`, frozen. */
  export const context: AppContext;

  export interface AppContext {
    /** Null where nobody is signed in. */
    readonly user: AppUser | null;
    /** Null outside an app's page, such as in a test. */
    readonly app: App | null;
  }

  export interface App {
    /** UUID. */
    readonly id: string;
    readonly name: string;
    /** The database that `db()` means. */
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

  /** Its message is a sentence for a person. */
  export class PlatformError extends Error {
    constructor(message: string, details?: Partial<Pick<PlatformError, Detail>> & { cause?: unknown });
    override readonly name: "PlatformError";
    /** Of the answer: 401, 404, 422, …; 200 where the flow itself failed; 0 where no answer came. */
    readonly status: number;
    /**
     * The server's word, such as `not_found` or `unauthorized`, or one of these: `invalid` (see `fields`),
     * `action_failed`, `timeout`, `network`, `bad_answer`, `no_app`, `no_database`, `unknown`.
     */
    readonly code: string;
    /** Of a 422: what is wrong, by field; `base` is no single field. */
    readonly fields: Readonly<Record<string, readonly string[]>> | undefined;
    /** The run of the flow that was waited for, where there is one. */
    readonly flow_process_id: string | undefined;
    /** Seconds after which it may work, where the server tells. */
    readonly retry_after: number | undefined;
  }

  type Detail = "status" | "code" | "fields" | "flow_process_id" | "retry_after";

  /** Anything that JSON writes as an object. */
  export type JsonObject = (object | Readonly<Record<string, unknown>>) & { readonly [Symbol.iterator]?: never };
}

interface Window {
  /** In js and html apps whose source mentions it. */
  platform: typeof import("platform");
  PlatformAppContext: import("platform").AppContext;
}
// deno-lint-ignore no-var -- only a `var` is a property of the window
declare var platform: Window["platform"];
// deno-lint-ignore no-var -- as above
declare var PlatformAppContext: Window["PlatformAppContext"];
