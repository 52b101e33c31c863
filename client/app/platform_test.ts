import assert from "node:assert/strict";
import { errorOf } from "../../test/stage/stand_in.ts";
import * as platform from "./platform.js";

Deno.test("platform: outside an app's page it can be imported, and its methods say what is missing", async () => {
  assert.deepEqual(Object.keys(platform).sort(), ["PlatformError", "action", "context", "db", "user"]);
  assert.equal(platform.user, null);
  assert.deepEqual(platform.context, { user: null, app: null });
  assert.equal((await errorOf(platform.action("rate"))).code, "no_app");
  assert.throws(() => platform.db(), { name: "PlatformError", code: "no_database" });
});

Deno.test("platform: the context is the page's own, frozen to its depth", async () => {
  const page = {
    user: { login: "ann", team_ids: [1], team_names: ["Field"] },
    app: { id: "1", name: "Rates", db_code: null },
  };
  Object.assign(globalThis, { PlatformAppContext: page });
  const { context } = await import("./context.js?in_a_page");
  assert.equal(context, page);
  for (const part of [page, page.user, page.user.team_ids, page.user.team_names, page.app]) {
    assert.ok(Object.isFrozen(part));
  }
});

Deno.test("platform: a context that is none does not matter", async () => {
  Object.assign(globalThis, { PlatformAppContext: "taken" });
  assert.equal(`${(await import("./context.js?taken")).context}`, "taken");
});

Deno.test("platform: its error is an Error and keeps the cause", () => {
  const cause = new Error("x");
  const error = new platform.PlatformError("It failed", { status: 404, cause });
  assert.ok(error instanceof Error);
  assert.equal(String(error), "PlatformError: It failed");
  assert.equal(error.cause, cause);
  assert.ok(!("cause" in new platform.PlatformError("It failed")));
});
