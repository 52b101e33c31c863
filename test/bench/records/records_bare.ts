/**
 * The handlers that our records are measured against: our statements as constant texts, sent from `Deno.serve` with
 * postgres.js alone. They check no token and no input and write no log. `plain` inserts into a table of its own.
 * Environment: PORT, DATABASE_URL, KNOWN (JSON: database code → its numbers).
 */
import postgres from "postgres";
import { v7 } from "uuid";
import { bareStatements, type Data } from "./records_bare_statements.ts";
import type { Known } from "./records_load.ts";

const { DATABASE_URL = "", PORT, KNOWN = "{}" } = Deno.env.toObject();
const plan_cache_mode = "force_generic_plan";
const sql = postgres(DATABASE_URL, { max: 10, connection: { TimeZone: "UTC", plan_cache_mode } });
const statements = bareStatements(sql, v7);
const known = new Map<string, Known>(Object.entries(JSON.parse(KNOWN)));

const headers = { "content-type": "application/json; charset=utf-8" };
const sent = (json: string | undefined, status = 200) =>
  json === undefined ? new Response(null, { status: 404 }) : new Response(json, { status, headers });
const dataOf = async (request: Request): Promise<Data> => (await request.json()).record.data;

async function answer(request: Request): Promise<Response> {
  const [path = "", query] = request.url.slice(request.url.indexOf("/", 8) + 1).split("?", 2);
  const [code = "", what, id] = path.split("/");
  const db = known.get(code);
  if (!db) return sent(undefined);
  if (request.method === "POST" && what === "plain") {
    return sent(await statements.insertPlain(code, await dataOf(request)), 201);
  }
  if (request.method === "POST") return sent(await statements.insert(db, await dataOf(request)), 201);
  if (request.method === "PATCH" && id) return sent(await statements.update(db, id, await dataOf(request)));
  if (id) return sent(await statements.find(db, id));
  const parameters = new URLSearchParams(query);
  if (what === "search") return sent(await statements.search(db, parameters.get("q") ?? ""));
  const customer = parameters.get("customer");
  if (customer !== null) return sent(await statements.listOfCustomer(db, customer));
  return sent(await statements.listOfCity(db, parameters.get("city") ?? ""));
}

Deno.serve({ hostname: "127.0.0.1", port: Number(PORT), onListen() {} }, answer);
