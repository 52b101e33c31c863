/** The templates of the console's New app page, created by the page's own function. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { createApp, freeAddress, slugOf } from "../../client/console/pages/apps/create_app.ts";
import { TEMPLATES, templatesOf } from "../../client/console/pages/apps/templates.ts";
import { ENGINES } from "../../server/compiler/compiler.ts";
import { startServer } from "../stage/harness.ts";

const NOWHERE = { url_code: null, department_id: null };

Deno.test("templates: each compiles without a warning, and has its database with records", async () => {
  const server = await startServer();
  try {
    const client = server.client();
    for (const template of TEMPLATES) {
      const id = await createApp(client, template, { ...NOWHERE, name: template.name });
      const app = await client.apps.find.query({ id });
      deepEqual(app.config.warnings, [], `${template.name}, ${template.app_engine}`);
      deepEqual([app.app_engine, app.public], [template.app_engine, template.public === true]);
      equal(app.db_code !== null, template.has_db === true);
      if (app.db_code === null) continue;
      match(app.db_code, /^[a-z]+_[a-z0-9]{8}$/);
      const db = await client.dbs.find.query({ db_code: app.db_code });
      deepEqual(db.warnings, {});
      ok((await client.records.list.query({ db_code: app.db_code })).length > 1);
      // Callers without a login add to a form, and do nothing else.
      const visit = (method: string) =>
        server.request("POST", `/platform/db/${app.db_code}/${method}`, {
          token: null,
          json: { data: { title: "No" } },
        });
      deepEqual(
        [(await visit("list")).status, (await visit("create")).status],
        template.public ? [403, 422] : [401, 401],
      );
    }

    // Where the app is refused, its database is deleted again.
    const before = await client.dbs.list.query({});
    const board = TEMPLATES.find(({ key }) => key === "board");
    ok(board);
    await createApp(client, board, { ...NOWHERE, name: "One", url_code: "one" });
    await rejects(createApp(client, board, { ...NOWHERE, name: "Two", url_code: "one" }), /already been taken/);
    equal((await client.dbs.list.query({})).length, before.length + 1);
    equal(await freeAddress(client, "one"), "one-2");
  } finally {
    await server.close();
  }
});

Deno.test("templates: every engine has a blank page and another template, but HTML and games may have one", () => {
  for (const engine of ENGINES) {
    const keys = templatesOf(engine).map(({ key }) => key);
    ok(keys.includes("blank") && keys.length > 1, `${engine}: ${keys}`);
  }
  const all = templatesOf(undefined).map(({ key }) => key);
  equal(new Set(all).size, all.length);
});

Deno.test("templates: the address follows the name", () => {
  deepEqual(
    ["Repair board", "  Zażółć — gęślą! ", "Straße 7", "日本"].map(slugOf),
    ["repair-board", "zazolc-gesla", "strasse-7", ""],
  );
});
