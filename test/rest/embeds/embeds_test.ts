/** Apps at a module or page: which ones, for whom, in which order. */
import assert from "node:assert/strict";
import { addPerson, addToken, made } from "../../stage/people.ts";
import { onOwnServer } from "../../stage/scenario.ts";
import { tokenIn } from "../../stage/visitors.ts";

const inAccount = onOwnServer();

inAccount(
  "embeds: active apps at a target that open for the caller, by position and name",
  async ({ ask, play, server }) => {
    const department = async (name: string): Promise<number> =>
      made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
    const [sales, support] = [await department("Sales"), await department("Support")];
    const add = async (name: string, fields: Record<string, unknown>): Promise<string> => {
      const app = { name, app_engine: "html", source_code: "<p>", show_in_module: "contacts/index", ...fields };
      return made(await ask("POST", "/platform/apps.json", { json: { app } })).id;
    };
    const last = await add("Abacus", {
      position: 7,
      public: true,
      embed_width: 400,
      embed_height: 300,
      url_code: "abacus",
    });
    await add("beta", { department_id: sales });
    await add("Alpha", { department_id: support });
    await add("Off", { active: false, public: true });
    await add("Elsewhere", { show_in_module: "crm", public: true });
    await add("First", { position: -1 });
    const seller = await addPerson(ask, "guest", { department_ids: [sales], without_department: true });
    const scoped = await addToken(ask, { scopes: ["departments:read"] });
    const path = "/platform/embeds.json?target=contacts/index";
    const titles = (...names: string[]) => names.map((title) => ({ title }));
    await play([
      {
        name: "an admin gets all active ones",
        method: "GET",
        path,
        status: 200,
        body: titles("First", "Alpha", "beta", "Abacus"),
      },
      {
        name: "a guest gets those of its department",
        method: "GET",
        path,
        sent: { token: seller.token },
        status: 200,
        body: titles("First", "beta", "Abacus"),
      },
      {
        name: "pages",
        method: "GET",
        path: `${path}&per_page=1&page=4`,
        status: 200,
        body: [{ id: last, url: `${server.base_url}/a/${last}`, position: 7, width: 400, height: 300 }],
        headers: { "x-total-count": "4" },
      },
      {
        name: "a module",
        method: "GET",
        path: "/platform/embeds.json?target=crm",
        status: 200,
        body: titles("Elsewhere"),
      },
      {
        name: "the modules and pages with apps",
        method: "GET",
        path: "/platform/embeds/targets.json",
        status: 200,
        body: [{ target: "contacts/index", apps: 4 }, { target: "crm", apps: 1 }],
        headers: { "x-total-count": "2" },
      },
      {
        name: "a guest's modules and pages",
        method: "GET",
        path: "/platform/embeds/targets.json?per_page=1",
        sent: { token: seller.token },
        status: 200,
        body: [{ target: "contacts/index", apps: 3 }],
        headers: { "x-total-count": "2" },
      },
      {
        name: "targets for a token of other scopes",
        method: "GET",
        path: "/platform/embeds/targets.json",
        sent: { token: scoped },
        status: 403,
      },
      { name: "no target", method: "GET", path: "/platform/embeds.json", status: 400, body: { error: /target/ } },
      { name: "a blank target", method: "GET", path: "/platform/embeds.json?target=", status: 400 },
      { name: "no such module", method: "GET", path: "/platform/embeds.json?target=crmm", status: 400 },
      { name: "a token of other scopes", method: "GET", path, sent: { token: scoped }, status: 403 },
      {
        name: "sizes have limits",
        method: "PATCH",
        path: `/platform/apps/${last}.json`,
        sent: { json: { app: { embed_height: 0, position: 1_000_001 } } },
        status: 422,
        body: {
          embed_height: ["must be at least 1"],
          position: ["must be at most 1000000"],
        },
      },
    ]);
  },
);

inAccount("embeds: a visitor gets public apps of the host's account; a page token gets none", async ({ ask }) => {
  const module = "drive";
  const add = async (name: string, fields: Record<string, unknown>): Promise<string> => {
    const source_code = "<script>fetch('/platform/db/x/list')</script>";
    const app = { name, app_engine: "html", source_code, show_in_module: module, ...fields };
    return made(await ask("POST", "/platform/apps.json", { json: { app } })).id;
  };
  const id = await add("Open", { public: true });
  await add("Private", {});
  const path = `/platform/embeds.json?target=${module}`;
  const { status, body } = await ask("GET", path, { token: null });
  assert.deepEqual([status, body.map(({ title }: { title: string }) => title)], [200, ["Open"]]);
  const page_token = tokenIn(await ask("GET", `/a/${id}`)) ?? "";
  assert.equal((await ask("GET", path, { token: null, headers: { "x-app-token": page_token } })).status, 401);
}, { of_default: true });
