/** Liveness and readiness, for the process that supervises this one and for load balancers. */
import { faultOf } from "../log.ts";
import type { HttpContext } from "./http_context.ts";
import { JSON_TYPE, type PlainRoute, type Reply } from "./plain_route.ts";

const PATIENCE_MS = 2_000;

const health = (description: string, ...parts: string[]): Reply => ({
  description,
  content: {
    [JSON_TYPE]: {
      shape: {
        type: "object",
        properties: {
          status: { enum: ["ok", "unavailable"] },
          ...Object.fromEntries(parts.map((part) => [part, { type: "boolean" }])),
        },
        required: ["status", ...parts],
      },
    },
  },
});

export const HEALTH: readonly PlainRoute[] = [
  {
    method: "GET",
    path: "/healthz",
    name: "health",
    tag: "health",
    summary: "Whether the process serves",
    callers: "everyone",
    replies: { 200: health("It does") },
    answer: () => Response.json({ status: "ok" }, { headers: { "cache-control": "no-store" } }),
  },
  {
    method: "GET",
    path: "/readyz",
    name: "readiness",
    tag: "health",
    summary: "Whether the database and the KV store take writes",
    callers: "everyone",
    replies: {
      200: health("They do", "database", "kv"),
      503: health("At least one does not", "database", "kv"),
    },
    async answer(context) {
      const checks = await checkAll(context);
      const ready = checks.database && checks.kv;
      return Response.json({ status: ready ? "ok" : "unavailable", ...checks }, {
        status: ready ? 200 : 503,
        headers: { "cache-control": "no-store", ...(ready ? {} : { "retry-after": "1" }) },
      });
    },
  },
];

/** Writes, because a full disk or a standby answers reads. */
async function checkAll({ sql, kv, log }: HttpContext) {
  const [database, store] = await Promise.allSettled([
    within(sql`update readiness set checked_at = now()`),
    within(kv.set(["ready"], Date.now())),
  ]);
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
