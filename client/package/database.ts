/** `db()`: the records of one database, with a token or by its public methods. */
import { createDb } from "../app/db.js";
import { segment } from "../app/request.js";
import { subscribe } from "../app/subscribe.js";
import type {
  AnyFields,
  CallOptions,
  Change,
  Database,
  DbOptions,
  List,
  RecordOf,
  SubscribeOptions,
} from "./types/index.d.ts";
import { exportFile, importFile, linesOf } from "./files.ts";
import { queryOf, readAnswer } from "./procedures.ts";
import type { Asked, Transport } from "./transport.ts";

type Fields = AnyFields;
type Row = RecordOf<Fields>;
/** A record as the private routes send it. */
interface Nested {
  id: string;
  data: Fields;
  created_at: string;
  updated_at: string;
}

const flat = ({ id, data, created_at, updated_at }: Nested): Row => ({ ...data, id, created_at, updated_at });

/** Ends a subscription with a signal, too. */
export function ending(stop: () => void, { signal }: SubscribeOptions): () => void {
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  return stop;
}

/** @param signed_in whether there is a token */
export function databaseOf(
  transport: Transport,
  signed_in: boolean,
  code: string,
  { table, public: open = !signed_in }: DbOptions = {},
): Database<Fields> {
  const at = `/platform/dbs/${segment(code, "A database's code")}`;
  const named = table === undefined ? {} : { table_name: table };
  const own = privateMethods(transport, at, named);
  return open ? { ...own, ...publicMethods(transport, code) } : own;
}

type Repeat = Asked["repeat"];

function privateMethods(transport: Transport, at: string, named: { table_name?: string }): Database<Fields> {
  const one = (id: string) => `${at}/records/${segment(id, "A record's id")}.json`;
  const write = async (method: string, address: string, data: unknown, call: CallOptions = {}) => {
    const body = JSON.stringify({ record: { data, ...named } });
    return flat(await transport.value(method, address, { ...call, body, repeat: "refused" }) as Nested);
  };
  const read = (address: string, call: CallOptions = {}, method = "GET", repeat: Repeat = "safe") =>
    transport.ask(method, address, { ...call, repeat }, readAnswer);
  return {
    list: async (options, call) =>
      await read(`${at}/search.json${queryOf({ ...options, ...named })}`, call) as List<Row>,
    find: async (id, call) => flat(await read(`${one(id)}${queryOf(named)}`, call) as Nested),
    create: (data, call) => write("POST", `${at}/records.json`, data, call),
    update: (id, data, call) => write("PATCH", one(id), data, call),
    delete: async (id, call) => void await read(`${one(id)}${queryOf(named)}`, call, "DELETE"),
    async *each(options, call) {
      const body = await exportFile(transport, at, { ...options, ...named, format: "ndjson" }, call);
      for await (const line of linesOf(body)) yield flat(JSON.parse(line));
    },
    export: (options, call) => exportFile(transport, at, { format: "csv", ...options, ...named }, call),
    import: (source, options, call) => importFile(transport, at, source, { ...options, ...named }, call),
    subscribe(listener, options = {}) {
      const hear = (change: Change<Fields>) => {
        const is_written = change.kind === "create" || change.kind === "update";
        // The private feed sends records as the private routes do.
        listener(is_written ? { ...change, record: flat(change.record as unknown as Nested) } : change);
      };
      return ending(subscribe(`${at}/changes${queryOf(named)}`, hear, transport.send, options.onState), options);
    },
  };
}

function publicMethods(transport: Transport, code: string) {
  const db = (call: CallOptions = {}) =>
    createDb(
      null,
      (method, address, { body } = {}) =>
        transport.ask(
          method,
          address,
          { ...call, body: body ?? undefined, repeat: address.endsWith("/list") ? "safe" : "refused" },
          readAnswer,
        ),
      subscribe,
    )<Fields>(code);
  return {
    list: async (options, call) => await db(call).list(options as object) as List<Row>,
    create: async (data, call) => await db(call).create(data),
    update: async (id, data, call) => await db(call).update(id, data),
    delete: async (id, call) => void await db(call).delete(id),
    subscribe(listener, options = {}) {
      const address = `/platform/db/${segment(code, "A database's code")}/changes`;
      return ending(subscribe(address, listener, transport.send, options.onState), options);
    },
  } satisfies Partial<Database<Fields>>;
}
