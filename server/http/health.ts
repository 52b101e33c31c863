/**
 * | path | answer |
 * |---|---|
 * | GET /healthz | 200 while the process serves |
 * | GET /readyz | 200 where the database and the KV store answer, else 503 with what does not |
 */
import type { Hono } from "hono";
import type { Context } from "../context.ts";
import { faultOf } from "../log.ts";
import { type Env, mountOthers } from "./rest/rest.ts";

const PATIENCE_MS = 2_000;

export function mountHealth(app: Hono<Env>): void {
  app.get("/healthz", () => Response.json({ status: "ok" }, { headers: { "cache-control": "no-store" } }));
  app.get("/readyz", async (c) => {
    const checks = await checkAll(c.env.context);
    const ready = checks.database && checks.kv;
    return Response.json({ status: ready ? "ok" : "unavailable", ...checks }, {
      status: ready ? 200 : 503,
      headers: { "cache-control": "no-store", ...(ready ? {} : { "retry-after": "1" }) },
    });
  });
  mountOthers(app, "/healthz", ["GET"]);
  mountOthers(app, "/readyz", ["GET"]);
}

async function checkAll({ sql, kv, log }: Context) {
  const [database, store] = await Promise.allSettled([within(sql`select 1`), within(kv.get(["ready"]))]);
  for (const [part, result] of Object.entries({ database, kv: store })) {
    if (result.status === "rejected") log.warn("not ready", { part, ...faultOf(result.reason) });
  }
  return { database: database.status === "fulfilled", kv: store.status === "fulfilled" };
}

async function within<T>(work: PromiseLike<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
