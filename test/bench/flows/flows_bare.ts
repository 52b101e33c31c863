/**
 * The floor of a durable run: an HTTP call between two commits. Environment: PORT,
 * DATABASE_URL, API (an address).
 */
import { Agent, request } from "undici";
import postgres from "postgres";

function setting(name: string): string {
  const value = Deno.env.get(name);
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}

const sql = postgres(setting("DATABASE_URL"), { max: 10 });
const api = setting("API");
const dispatcher = new Agent();
await sql`create table bare_runs (id uuid primary key, input json not null, output json)`;

Deno.serve({ port: Number(setting("PORT")), hostname: "127.0.0.1", onListen: () => {} }, async (incoming) => {
  if (incoming.method === "GET") return new Response("ready");
  const id = crypto.randomUUID();
  await sql`insert into bare_runs (id, input) values (${id}, ${sql.json(await incoming.json())})`;
  const { body } = await request(api, { dispatcher });
  const { rates: [{ mid }] } = await body.json() as { rates: [{ mid: number }] };
  const data = { price: mid, high: mid > 4.5 };
  await sql`update bare_runs set output = ${sql.json(data)} where id = ${id}`;
  return Response.json({ flow_process_id: id, status: "finished", data });
});
