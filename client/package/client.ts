/** `createClient()`: the procedures, and what is more convenient than they are. */
import { createAction } from "../app/action.js";
import { PlatformError } from "../app/platform_error.js";
import { pause } from "../app/waiting.js";
import { databaseOf } from "./database.ts";
import type { AnyFields, CallOptions, ClientOptions, Database, DbOptions, ListOptions } from "./types/index.d.ts";
import { newKey, proceduresOf, queryOf } from "./procedures.ts";
import { runsOf } from "./runs.ts";
import { createTransport, type Transport } from "./transport.ts";

export { PlatformError as AtriumError } from "../app/platform_error.js";
export type { ListOptions };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** How long the id behind a `url_code` is used without asking again: the code may become another app's. */
const BELIEVED_MS = 60_000;
/** Apps of one page of the search for a `url_code`. */
const PAGE = 500;

/** The id behind a `url_code`. */
interface KnownApp {
  id: string;
  /** By `performance.now()`. */
  until: number;
}

/** @param table the routes, which `deno task pack` writes */
export function clientOf(table: string, options: ClientOptions) {
  const transport = createTransport(options);
  const dbs = new Map<string, Database<AnyFields>>();
  const apps = new Map<string, KnownApp>();
  return {
    ...proceduresOf(table, transport),
    action: async (app: string, name: string, input: object = {}, call: CallOptions = {}) => {
      const id = await appOf(transport, apps, app, call);
      return await callAction(transport, id, name, input, call);
    },
    /** The same object for the same database, so that effects of components do not begin anew. */
    db(code: string, chosen: DbOptions = {}): Database<AnyFields> {
      const key = JSON.stringify([code, chosen.table, chosen.public]);
      const db = dbs.get(key) ?? databaseOf(transport, options.token !== undefined, code, chosen);
      dbs.set(key, db);
      return db;
    },
    runs: runsOf(transport),
  };
}

function callAction(transport: Transport, id: string, name: string, input: object, call: CallOptions) {
  const headers = { "idempotency-key": newKey() };
  // A poll that fails is repeated by `createAction` itself.
  const action = createAction({ id, name: "", db_code: null }, pause, (method, address, { body, signal } = {}) => {
    const asked = { body: body ?? undefined, signal };
    return method === "POST"
      ? transport.value(method, address, { ...asked, headers, repeat: "keyed" })
      : transport.value(method, address, { ...asked, repeat: "never" });
  });
  return action(name, input, call);
}

/** The id of the app with this id or `url_code`. */
async function appOf(transport: Transport, known: Map<string, KnownApp>, app: string, call: CallOptions) {
  if (UUID.test(app)) return app;
  const found = known.get(app);
  if (found && found.until > performance.now()) return found.id;
  // Not shared with other calls: the signal and the deadline of one must not end another.
  const id = await findApp(transport, app, call);
  known.set(app, { id, until: performance.now() + BELIEVED_MS });
  return id;
}

async function findApp(transport: Transport, url_code: string, call: CallOptions): Promise<string> {
  for (let page = 1;; page++) {
    const address = `/platform/apps.json${queryOf({ q: url_code, page, per_page: PAGE })}`;
    const found = await transport.value("GET", address, { ...call, repeat: "safe" }) as {
      id: string;
      url_code: string | null;
    }[];
    const app = found.find((one) => one.url_code === url_code);
    if (app) return app.id;
    if (found.length < PAGE) break;
  }
  throw new PlatformError(`There is no app with the url_code ${url_code}`, { status: 404, code: "not_found" });
}
