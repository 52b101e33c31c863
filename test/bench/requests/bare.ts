/**
 * The bare handler for departments and pages: the same answers as ours from `Deno.serve` and postgres.js alone. It checks
 * no token and no input and writes no log. Environment: PORT, DATABASE_URL, ACCOUNT, SITE, PAGE (a file with the page as JSON).
 */
import { Hono } from "hono";
import postgres from "postgres";
import { bareQueries, type Page } from "./bare_queries.ts";

function setting(name: string): string {
  const value = Deno.env.get(name);
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}

const sql = postgres(setting("DATABASE_URL"), { max: 10, connection: { TimeZone: "UTC" } });
const queries = bareQueries(sql, Number(setting("ACCOUNT")), setting("SITE"));
const page: Page = JSON.parse(await Deno.readTextFile(setting("PAGE")));

const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };
const page_headers = Object.fromEntries(page.headers);

const hono = new Hono();
hono.get("/hono/page", (c) => c.body(page.body, 200, page_headers));

const list = ({ json, total }: { json: string; total: number }) =>
  new Response(json, { headers: { ...JSON_HEADERS, "x-total-count": String(total) } });
const department = (json: string | undefined, status = 200) => new Response(json, { status, headers: JSON_HEADERS });

async function answer(request: Request): Promise<Response> {
  const path = request.url.slice(request.url.indexOf("/", 8)).split("?", 1)[0] ?? "";
  const id = Number(/^\/departments\/(\d+)$/.exec(path)?.[1]);
  if (path === "/page") return new Response(page.body, { headers: page_headers });
  if (path === "/hono/page") return await hono.fetch(request);
  if (path === "/naive/departments") return list(await queries.listNaively(20));
  if (id && request.method === "PATCH") return department(await queries.update(id, (await request.json()).department));
  if (id) return department(await queries.find(id));
  if (path !== "/departments") return new Response(null, { status: 404 });
  if (request.method === "POST") return department(await queries.insert((await request.json()).department), 201);
  return list(await queries.list(20));
}

Deno.serve({ hostname: "127.0.0.1", port: Number(setting("PORT")), onListen() {} }, answer);
