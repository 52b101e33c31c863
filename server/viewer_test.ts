/** Page tokens against the state of their app and of their viewer. The other proofs are tested over HTTP. */
import assert from "node:assert/strict";
import { createKeys } from "./secrets/keys.ts";
import { type Call, proveCaller, signPageToken, type Viewer, type Viewers } from "./viewer.ts";

const VIEWER: Viewer = {
  account_id: 1,
  user_id: 7,
  token_id: 3,
  session_id: null,
  role: "user",
  restricted: true,
  department_ids: [4],
  without_department: false,
  expires_at: null,
  scopes: null,
};
const keys = createKeys([{ id: "k1", material: "0123456789abcdef" }]);
const clock = { now: () => new Date("2026-11-22T08:00:00Z") };
const config = { base_url: "http://atrium.test", apps_origin: undefined };

const callOf = (headers: Record<string, string> = {}): Call => ({
  request: new Request("http://atrium.test/", { headers }),
  path: "/",
  request_id: "test",
  started: 0,
  is_head: false,
  address: "203.0.113.9",
  token: undefined,
  viewer: undefined,
  caller: undefined,
  set_cookie: undefined,
  params: undefined,
  stamped: false,
});

/** The caller of a page that VIEWER, or a visitor, has opened. */
async function callerOf(
  app: { public: boolean; department_id: number | null } | undefined,
  now: Viewer | undefined,
  opened_by: Viewer | null = VIEWER,
) {
  const token = signPageToken(
    { call: callOf(), keys, clock, config },
    { id: "app", account_id: 1 },
    opened_by ?? undefined,
  );
  const find = () => Promise.resolve(now);
  const unused = () => Promise.reject(new Error("not used"));
  const viewers: Viewers = {
    cached: () => now,
    byToken: find,
    byTokenId: find,
    cachedSession: () => now,
    bySession: find,
    bySessionId: find,
    byJwt: unused,
    byGrant: unused,
    noteView: unused,
    users: { find: () => Promise.resolve(undefined) },
    forget: () => {},
  };
  const pages = { byId: () => Promise.resolve(app), accountOf: () => Promise.resolve(1) };
  const call = callOf({ "x-app-token": token });
  const limits = { take: () => {}, usage: () => Promise.resolve([]), forget: () => {}, close: () => Promise.resolve() };
  return await proveCaller({ call, viewers, keys, clock, config, limits, pages });
}

Deno.test("viewer: a page token counts while its app is open to its viewer", async () => {
  const caller = await callerOf({ public: false, department_id: 4 }, VIEWER);
  assert.deepEqual([caller.viewer?.user_id, caller.app_id, caller.account_id], [7, "app", 1]);
  for (
    const [app, now] of [
      [{ public: false, department_id: 5 }, VIEWER],
      [{ public: false, department_id: null }, VIEWER],
      [undefined, VIEWER],
      [{ public: true, department_id: 4 }, undefined],
      [{ public: true, department_id: 4 }, { ...VIEWER, user_id: 8 }],
    ] as const
  ) {
    await assert.rejects(callerOf(app, now), { status: 401 }, JSON.stringify([app, now]));
  }
});

Deno.test("viewer: a visitor's page token counts while its app is public", async () => {
  const visitor = await callerOf({ public: true, department_id: 4 }, undefined, null);
  assert.deepEqual([visitor.viewer, visitor.account_id], [undefined, 1]);
});
