/**
 * `atrium-client`: the client of an Atrium server for Node.js 20 and later, Deno, Bun and browsers.
 *
 * ```ts
 * const atrium = createClient({ url: "https://atrium.example.com", token: "atr_…" });
 * const sales = await atrium.departments.create({ department: { name: "Sales" } });
 * const { celsius } = await atrium.action("weather", "now", { city: "Oslo" });
 * ```
 */
import type { Procedures } from "./procedures.d.ts";
export type * from "./procedures.d.ts";

/**
 * The account's databases by their codes, each with the fields of its tables' records; `""` is the table of a database
 * with one. Empty until `npx atrium-client types` has written them; then `db()` takes these codes only.
 */
// deno-lint-ignore no-empty-interface -- extended by the generated file
export interface Databases {}

/** The account's actions by app and name, as `npx atrium-client types` writes them. */
// deno-lint-ignore no-empty-interface -- extended by the generated file
export interface Actions {}

/** @throws {TypeError} if `url` is no address */
export function createClient(options: ClientOptions): Client;

export interface ClientOptions {
  /** The server's address: http or https, without a query. In a page of the server itself, `""`. */
  url: string;
  /** An API token. A function is called for each request. Without a token only public methods answer. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Further headers, such as `X-View-As`. A function is called for each request. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /** How often a safe request is repeated after a temporary failure; 3 by default. */
  retries?: number | undefined;
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

export interface Client extends Procedures {
  /**
   * Runs an action of an app and waits until its run has ended. The start is repeated safely after a temporary failure,
   * because it carries an `Idempotency-Key`.
   *
   * @param app the app's id, or its `url_code`, which needs a token
   * @throws {AtriumError} `action_failed` if the flow fails, `timeout`, `network`, or the server's own code
   */
  action<App extends AppName, Name extends ActionName<App>>(
    app: App,
    name: Name,
    ...rest: ActionArguments<App, Name>
  ): Promise<ActionResult<App, Name>>;

  /**
   * The records of a database. With a token they are read and written with the token's rights. Without one, or with
   * `public: true`, the database's public methods are called.
   */
  db<Code extends DbCode, Table extends string = "">(
    code: Code,
    options?: DbOptions<Table>,
  ): Database<FieldsOf<Code, Table>>;

  /** Runs of flows as they progress. Needs a token. */
  readonly runs: Runs;
}

export type DbCode = [keyof Databases] extends [never] ? string : keyof Databases & string;
export type FieldsOf<Code, Table> = Code extends keyof Databases
  ? Table extends keyof Databases[Code] ? Databases[Code][Table] : never
  : AnyFields;
// deno-lint-ignore no-explicit-any -- without generated types, fields may be anything
export type AnyFields = Record<string, any>;

export type AppName = [keyof Actions] extends [never] ? string : (keyof Actions & string) | AppId;
/** An app's id is taken as well, without types. */
export type AppId = `${string}-${string}-${string}-${string}-${string}`;
export type ActionName<App> = App extends keyof Actions ? keyof Actions[App] & string : string;
export type ActionArguments<App, Name> = App extends keyof Actions
  ? Name extends keyof Actions[App]
    ? Actions[App][Name] extends { input: infer Input }
      ? object extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions]
    : never
  : never
  : [input?: object, options?: CallOptions];
export type ActionResult<App, Name> = App extends keyof Actions
  ? Name extends keyof Actions[App] ? Actions[App][Name] extends { output: infer Output } ? Output : never : never
  // deno-lint-ignore no-explicit-any -- without generated types, the result may be anything
  : any;

export interface CallOptions {
  /** Ends the call. What the server has begun continues there. */
  signal?: AbortSignal | undefined;
  /** In milliseconds, from the call on. */
  timeout?: number | undefined;
}

/** A page of a list. */
export type List<Row> = Row[] & {
  /** How many there are on all pages, where the list is counted: records are with `count: true`. */
  readonly total: number | undefined;
};

export interface DbOptions<Table extends string = string> {
  /** Of a database with several tables. */
  table?: Table | undefined;
  /** Calls the public methods although there is a token. */
  public?: boolean | undefined;
}

export type RecordOf<Fields> = Fields & {
  /** UUID. */
  id: string;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
};

export interface ListOptions<Fields> extends Selection<Fields> {
  /** From 1. */
  page?: number | undefined;
  /** 100 by default, at most 500. */
  per_page?: number | undefined;
  /** A field name. A leading minus sorts in descending order. */
  sort?: `${"" | "-"}${keyof RecordOf<Fields> & string}` | undefined;
  /** Also counts: `total` of the list. */
  count?: boolean | undefined;
}

export interface Selection<Fields> {
  filter?: { [Field in keyof RecordOf<Fields>]?: Filter<RecordOf<Fields>[Field]> } | undefined;
  /** A part of any text field, regardless of case. */
  q?: string | undefined;
}

export type Filter<Value> = Value | {
  eq?: Value;
  ne?: Value;
  gt?: Value;
  gte?: Value;
  lt?: Value;
  lte?: Value;
  in?: readonly Value[];
  contains?: string;
};

export type Changed<Fields> = { [Field in keyof Fields]?: Fields[Field] | null };

/** Every method throws an `AtriumError` where the server refuses it. `count`, `q`, `find`, import and export need a token. */
export interface Database<Fields> {
  /** Up to 100 records, newest first, unless the options say otherwise. */
  list(options?: ListOptions<Fields>, call?: CallOptions): Promise<List<RecordOf<Fields>>>;
  find(id: string, call?: CallOptions): Promise<RecordOf<Fields>>;
  create(data: Partial<Fields>, call?: CallOptions): Promise<RecordOf<Fields>>;
  /** Changes the given fields and keeps the others. Null clears a field. */
  update(id: string, data: Changed<Fields>, call?: CallOptions): Promise<RecordOf<Fields>>;
  delete(id: string, call?: CallOptions): Promise<void>;
  /** All records, the oldest first, as they arrive. */
  each(options?: Selection<Fields>, call?: CallOptions): AsyncIterable<RecordOf<Fields>>;
  /** All records as a file, as it arrives. */
  export(
    options?: Selection<Fields> & { format?: "csv" | "ndjson" | undefined; raw?: boolean | undefined },
    call?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>>;
  /** Creates records from a file, which is sent as it is read. Browsers send streams over HTTP/2 only, files always. */
  import(source: Blob | string | ReadableStream<Uint8Array>, options?: ImportOptions, call?: CallOptions): Promise<
    ImportResult
  >;
  /**
   * Calls the listener with each change from now on. A broken connection is reopened and resumes where it ended: after
   * sleep, without a network and after a restart of the server. What cannot be resumed is told as `reset`.
   *
   * @returns a function that ends the subscription
   */
  subscribe(listener: (change: Change<Fields>) => void, options?: SubscribeOptions): () => void;
}

export interface ImportOptions {
  /** `csv` by default. */
  format?: "csv" | "ndjson" | undefined;
  /** Checks the rows and creates nothing. */
  dry_run?: boolean | undefined;
  raw?: boolean | undefined;
  department_id?: number | null | undefined;
}

export interface ImportResult {
  created: number;
  failed: number;
  /** The first 1,000. `row` counts from 1, without the header. */
  errors: { row: number; fields: Record<string, string[]> }[];
}

export type Change<Fields> =
  | { kind: "create" | "update"; record: RecordOf<Fields>; error?: undefined }
  /** The record was deleted, or the caller may no longer see it. */
  | { kind: "delete"; record: { id: string }; error?: undefined }
  /** `ready`: every later change is told. `reset`: changes are missing, list the records again. */
  | { kind: "ready" | "reset"; record?: undefined; error?: undefined }
  /** The server refuses the subscription; it has ended. */
  | { kind: "error"; error: AtriumError; record?: undefined };

/** `waiting`: the connection is lost and will be tried again. `closed`: ended by `stop` or by a refusal. */
export type ConnectionState = "connecting" | "open" | "waiting" | "closed";

export interface SubscribeOptions {
  onState?: ((state: ConnectionState) => void) | undefined;
  /** Ends the subscription. */
  signal?: AbortSignal | undefined;
}

export interface Runs {
  /**
   * All runs of the account, or with `id` one run with its steps until it ends.
   *
   * @returns a function that ends the subscription
   */
  subscribe(
    listener: (change: RunChange) => void,
    options?: SubscribeOptions & { id?: string | undefined },
  ): () => void;
}

export interface Run {
  id: string;
  flow_code: string;
  status: "pending" | "waiting" | "finished" | "error" | "cancelled";
  data?: unknown;
  error?: string | null;
  [more: string]: unknown;
}

export type RunChange =
  | { kind: "run"; run: Run; error?: undefined }
  /** `reset`: the connection was interrupted, list the runs again. */
  | { kind: "ready" | "reset"; run?: undefined; error?: undefined }
  | { kind: "error"; error: AtriumError; run?: undefined };

/** Thrown by every failed call. Its message is a sentence that can be shown to people. */
export class AtriumError extends Error {
  constructor(message: string, details?: {
    status?: number | undefined;
    code?: string | undefined;
    fields?: Readonly<Record<string, readonly string[]>> | undefined;
    flow_process_id?: string | undefined;
    retry_after?: number | undefined;
    cause?: unknown;
  });
  override readonly name: "AtriumError";
  /** The HTTP status; 200 if an action's flow failed; 0 if there was no answer. */
  readonly status: number;
  /**
   * The server's code, such as `not_found`, or one of these: `invalid` (see `fields`), `action_failed`, `timeout`,
   * `network` (the server cannot be reached), `bad_answer`, `unknown`.
   */
  readonly code: string;
  /** With status 422, the messages for each field. `base` holds those that concern no single field. */
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined;
  /** The run that `action()` waited for, if it was started. */
  readonly flow_process_id: string | undefined;
  /** Seconds to wait before trying again, if the server said so. */
  readonly retry_after: number | undefined;
}

/** The schema of a database with one table, or with several. */
export type Schema =
  | { fields: Record<string, FieldType | Field>; indexes?: Record<string, string> }
  | { tables: Record<string, { fields: Record<string, FieldType | Field>; indexed_fields?: readonly string[] }> };

export interface Field {
  type: FieldType;
  required?: boolean;
}

export type FieldType = "string" | "text" | "integer" | "number" | "boolean" | "datetime" | "date" | "time";
