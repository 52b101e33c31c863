/**
 * Hosted: a stand-in for the host's Deno KV refuses what the host refuses, and more checks than some stores take. Flows with
 * large inputs and outputs, many steps, waits and secrets never meet these limits.
 */
import assert from "node:assert/strict";
import { serialize } from "node:v8";
import { addTeam, startStage } from "../flow/flow_stage.ts";
import { on_postgres } from "../stage/harness.ts";
import { until } from "../stage/until.ts";

const KIB = 1024;
/** Of one value, and of one commit. */
const LIMITS = {
  value: 64 * KIB,
  key: 2 * KIB,
  checks: 10,
  mutations: 1_000,
  bytes: 800 * KIB,
  key_bytes: 80 * KIB,
  keys_read: 10,
  batch: 500,
};
type Measures = typeof LIMITS;

/** Three bytes in UTF-8. */
const WIDE = "€";

const sizeOf = (value: unknown) => value instanceof Uint8Array ? value.length : serialize(value).length;
const sizeOfKey = (key: Deno.KvKey) => new TextEncoder().encode(JSON.stringify(key)).length;

/** @param seen the largest of each measure, those that are refused included */
function limited(kv: Deno.Kv, seen: Measures): Deno.Kv {
  const measure = (found: Partial<Measures>) => {
    for (const name of Object.keys(found) as (keyof Measures)[]) {
      const size = found[name] ?? 0;
      seen[name] = Math.max(seen[name], size);
      if (size > LIMITS[name]) throw new TypeError(`the stand-in refuses ${name}: ${size}`);
    }
  };

  function atomic() {
    const inner = kv.atomic();
    const sum = { checks: 0, mutations: 0, bytes: 0, key_bytes: 0 };
    const mutated = (key: Deno.KvKey, bytes: number) => {
      measure({ key: sizeOfKey(key), value: bytes });
      sum.mutations++;
      sum.bytes += bytes + sizeOfKey(key);
      sum.key_bytes += sizeOfKey(key);
    };
    return {
      check(...checks: Deno.AtomicCheck[]) {
        sum.checks += checks.length;
        for (const { key } of checks) sum.key_bytes += sizeOfKey(key);
        inner.check(...checks);
      },
      set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }) {
        mutated(key, sizeOf(value));
        inner.set(key, value, options);
      },
      delete(key: Deno.KvKey) {
        mutated(key, 0);
        inner.delete(key);
      },
      commit() {
        measure(sum);
        return inner.commit();
      },
    };
  }

  const own: Record<string, unknown> = {
    atomic,
    set(key: Deno.KvKey, value: unknown) {
      measure({ key: sizeOfKey(key), value: sizeOf(value) });
      return kv.set(key, value);
    },
    getMany(keys: Deno.KvKey[]) {
      measure({ keys_read: keys.length });
      return kv.getMany(keys);
    },
    list(selector: Deno.KvListSelector, options?: Deno.KvListOptions) {
      measure({ batch: options?.batchSize ?? 0 });
      return kv.list(selector, options);
    },
  };
  return new Proxy(kv, {
    get(_, name) {
      if (typeof name === "string" && Object.hasOwn(own, name)) return own[name];
      const value = Reflect.get(kv, name, kv);
      return typeof value === "function" ? value.bind(kv) : value;
    },
  });
}

Deno.test({
  name: "hosted: no value and no commit of a flow exceeds what the host's Deno KV takes",
  ignore: !on_postgres,
  // The HTTP client of connectors has one timer for the process, which ends up to a second after the last call.
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  const openKv = Deno.openKv;
  const own = Object.getOwnPropertyDescriptor(Deno, "openKv") ?? {};
  const seen: Measures = { ...LIMITS };
  for (const name of Object.keys(seen) as (keyof Measures)[]) seen[name] = 0;
  const value: typeof openKv = async (path) => limited(await openKv(path), seen);
  Object.defineProperty(Deno, "openKv", { value, configurable: true });
  try {
    await using stage = await startStage({ DENO_DEPLOYMENT_ID: "1", KV_URL: ":memory:" });
    const { api, server } = stage;
    const { ask, addFlow, inspect } = await addTeam(stage);
    const page = WIDE.repeat(100_000);
    api.answers.set("/large", () => Response.json({ page }));
    const call = { type: "connector", id: "call", connector_code: "api", method: "get", params: { path: "large" } };
    const run = async (id: number, input: unknown, key?: string) => {
      const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
      const { status, body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: { input }, headers });
      assert.ok(status < 300, `${status} ${JSON.stringify(body).slice(0, 1_000)}`);
      await until(
        async () => !["pending", "waiting"].includes((await inspect(body.flow_process_id)).status),
        "it ends",
      );
      const ended = await inspect(body.flow_process_id);
      assert.equal(ended.status, "finished", JSON.stringify(ended.error));
      return ended;
    };

    const large = await addFlow([
      call,
      { type: "mutation", id: "kept", set: { copy: "{input.text}" } },
      { type: "wait", id: "pause", seconds: 1 },
      { type: "return", data: "{input.text}" },
    ]);
    const text = WIDE.repeat(60_000);
    assert.equal((await run(large.id, { text })).data, text);

    // Entries of the journal from a few bytes to nearly twice a value's limit.
    api.answers.set("/sized", (call) => Response.json({ text: WIDE.repeat(call % 20 * 2_000) }));
    const loop = await addFlow([
      {
        type: "for_each",
        id: "each",
        items: "{input.items}",
        as: "item",
        steps: [
          { ...call, id: "sized", params: { path: "sized" }, on_error: "continue" },
          { type: "record", action: "create", db_code: "items", data: { of: "{item}" } },
        ],
      },
      { type: "wait", id: "pause", seconds: 1 },
      { type: "return", data: "done" },
    ]);
    const schema = { fields: { of: "integer" } };
    await ask("POST", "/platform/dbs.json", { json: { db: { name: "Items", code: "items", schema } } });
    await run(loop.id, { items: Array.from({ length: 60 }, (_, n) => n) });

    const secret = await addFlow([{ type: "return", data: "kept" }], { secret_inputs: ["code"] });
    await run(secret.id, { code: WIDE.repeat(8_000), more: WIDE.repeat(1_200) });

    const short = await addFlow([{ type: "return", data: "{input.n}" }]);
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    const together = await Promise.all(numbers.map((n) => run(short.id, { n }, `${"k".repeat(190)}${n}`)));
    assert.deepEqual(together.map(({ data }) => data), numbers);

    assert.deepEqual(server.logged.filter((line) => /stand-in|waits for a store/.test(line)), []);
    assert.equal(seen.checks, LIMITS.checks, "runs share commits");
    assert.ok(seen.value > 32 * KIB, "large values come near the limit");
  } finally {
    Object.defineProperty(Deno, "openKv", own);
  }
});
