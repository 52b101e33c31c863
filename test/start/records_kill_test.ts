/** `kill -9` of the server while records are written: what was acknowledged is there, and found, afterwards. */
import assert from "node:assert/strict";
import { ask, launch, newPlace, type Process } from "../stage/launch.ts";

const TOKEN = "token-of-the-kill-test";
const WRITERS = 6;
/** Acknowledged writes before the server is killed. */
const ENOUGH = 100;

const SCHEMA = { fields: { name: "string", n: "integer" }, indexes: { idx_str_1: "name", idx_int_1: "n" } };

interface Written {
  id: string;
  name: string;
  /** As last acknowledged; null once the delete was. */
  n: number | null;
  /** Sent and not acknowledged: it may be there or not. */
  pending: number | null | undefined;
}

interface Answer {
  id: string;
  data: { name: string; n: number };
}

const at = ({ url }: Process, rest: string) => `${url}/platform/dbs${rest}`;

async function send<T>(url: string, method: string, json?: unknown): Promise<{ status: number; body: T }> {
  const { status, text } = await ask(url, TOKEN, {
    method,
    headers: { "content-type": "application/json" },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  return { status, body: text === "" ? undefined : JSON.parse(text) };
}

/** Creates, changes and deletes records of its own until the server is gone. */
async function write(process: Process, writer: string, acknowledged: () => void): Promise<Written[]> {
  const written: Written[] = [];
  try {
    for (let i = 0;; i++) {
      const name = `${writer}/${i}`;
      const { status, body } = await send<Answer>(at(process, "/load/records.json"), "POST", {
        record: { data: { name, n: 0 } },
      });
      assert.equal(status, 201);
      const record: Written = { id: body.id, name, n: 0, pending: undefined };
      written.push(record);
      acknowledged();
      await change(process, record, i, acknowledged);
    }
  } catch (error) {
    // The connection ends with the server.
    if (!(error instanceof TypeError)) throw error;
  }
  return written;
}

async function change(process: Process, record: Written, i: number, acknowledged: () => void): Promise<void> {
  const path = at(process, `/load/records/${record.id}.json`);
  for (const n of i % 3 ? [1, 2] : [1, null]) {
    record.pending = n;
    const { status } = n === null ? await send(path, "DELETE") : await send(path, "PATCH", { record: { data: { n } } });
    assert.equal(status, n === null ? 204 : 200);
    record.n = n;
    record.pending = undefined;
    acknowledged();
  }
}

/** Every record that the server lists. */
async function listAll(process: Process): Promise<Map<string, Answer>> {
  const found = new Map<string, Answer>();
  for (let after = "";;) {
    const { body } = await send<Answer[]>(at(process, `/load/records.json?sort=id&per_page=500${after}`), "GET");
    for (const record of body) found.set(record.id, record);
    if (body.length < 500) return found;
    after = `&after=${body.at(-1)?.id}`;
  }
}

async function proveAll(process: Process, written: readonly Written[]): Promise<void> {
  const found = await listAll(process);
  for (const { id, name, n, pending } of written) {
    const there = found.get(id);
    const may_be = pending === undefined ? [n] : [n, pending];
    assert.ok(may_be.includes(there ? there.data.n : null), `${name}: ${JSON.stringify(there)} and not ${may_be}`);
    if (there) assert.equal(there.data.name, name);
  }
  // What lists do not show, indexes must not know either.
  for (const { id, name } of written.slice(-40)) {
    const { body } = await send<Answer[]>(
      at(process, `/load/search.json?filter[name]=${encodeURIComponent(name)}`),
      "GET",
    );
    assert.deepEqual(body.map(({ id }) => id), found.has(id) ? [id] : [], name);
  }
}

Deno.test("records: kill -9 under write load loses no acknowledged record", async () => {
  await using place = await newPlace();
  const environment = { ...place.environment, ADMIN_TOKEN: TOKEN };
  const written: Written[] = [];
  for (const round of [1, 2, 3]) {
    await using process = await launch(environment);
    if (round === 1) {
      const { status } = await send(at(process, ".json"), "POST", { db: { name: "Load", schema: SCHEMA } });
      assert.equal(status, 201);
    }
    await proveAll(process, written);
    if (round === 3) break;
    let count = 0;
    const writers = Array.from({ length: WRITERS }, (_, i) =>
      write(process, `${round}.${i}`, () => {
        if (++count === ENOUGH) process.kill("SIGKILL");
      }));
    written.push(...(await Promise.all(writers)).flat());
    assert.ok(count >= ENOUGH && written.length > 0);
  }
});
