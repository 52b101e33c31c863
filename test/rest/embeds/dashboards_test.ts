/** Dashboards: a user's own board, the account's, and the tiles that a user gets. */
import assert from "node:assert/strict";
import { NO_UUID } from "../../stage/addresses.ts";
import { addPerson, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

inAccount(
  "dashboards: only tiles of visible apps with dashboard_widget; those that disappear are left out",
  async ({ ask, play, server }) => {
    const department = async (name: string): Promise<number> =>
      made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
    const [sales, support] = [await department("Sales"), await department("Support")];
    const add = async (name: string, fields: Record<string, unknown> = {}): Promise<string> => {
      const app = { name, app_engine: "html", source_code: "<p>", dashboard_widget: true, ...fields };
      return made(await ask("POST", "/platform/apps.json", { json: { app } })).id;
    };
    const [one, two] = [await add("One"), await add("Two", { department_id: sales })];
    const unfit = [
      await add("No widget", { dashboard_widget: false }),
      await add("Off", { active: false }),
      await add("Hidden", { department_id: support }),
      NO_UUID,
    ];
    const { token } = await addPerson(ask, "guest", { department_ids: [sales], without_department: true });
    const [own, standard] = ["/account/dashboard.json", "/account/default_dashboard.json"];
    const tile = (app_id: string, place: Record<string, unknown> = {}) => ({
      app_id,
      x: 0,
      y: 0,
      w: 6,
      h: 4,
      ...place,
    });
    const board = (...tiles: unknown[]) => ({ json: { dashboard: { tiles } } });
    const apps = async () =>
      (await ask("GET", own, { token })).body.tiles.map(({ app_id }: { app_id: string }) => app_id);

    await play([
      {
        name: "there is none at first",
        method: "GET",
        path: own,
        sent: { token },
        status: 200,
        body: { is_default: true, tiles: [], updated_at: null },
      },
      {
        name: "an admin sets the default",
        method: "PUT",
        path: standard,
        sent: board(tile(unfit[2] ?? ""), tile(one)),
        status: 200,
      },
      { name: "a guest does not", method: "PUT", path: standard, sent: { token, ...board() }, status: 403 },
      {
        name: "others get those of its tiles that they see",
        method: "GET",
        path: own,
        sent: { token },
        status: 200,
        body: { is_default: true, tiles: [tile(one, { title: "One", url: `${server.base_url}/a/${one}` })] },
      },
      {
        name: "a board of one's own",
        method: "PUT",
        path: own,
        sent: { token, ...board(tile(two, { x: 6 }), tile(one)) },
        status: 200,
        body: { is_default: false, tiles: [tile(two, { x: 6 }), tile(one)] },
      },
      { name: "is one's own", method: "GET", path: own, status: 200, body: { is_default: true } },
      {
        name: "apps that do not fit are 422 with their places",
        method: "PUT",
        path: own,
        sent: { token, ...board(tile(one), ...unfit.map((id) => tile(id))) },
        status: 422,
        body: Object.fromEntries(unfit.map((_, index) => [`tiles.${index + 1}.app_id`, /dashboard_widget/])),
      },
      {
        name: "places have limits",
        method: "PUT",
        path: own,
        sent: { token, ...board(tile(one, { x: 7 }), tile(one, { x: 12, w: 1, y: -1, h: 0 }), tile("x", { w: 13 })) },
        status: 422,
        body: {
          "tiles.0.w": ["must end at column 12"],
          "tiles.1.x": ["must be at most 11"],
          "tiles.1.y": ["must be at least 0"],
          "tiles.1.h": ["must be at least 1"],
          "tiles.2.app_id": ["is invalid"],
          "tiles.2.w": ["must be at most 12"],
        },
      },
      {
        name: "and a number",
        method: "PUT",
        path: own,
        sent: { token, ...board(...Array.from({ length: 101 }, () => tile(one))) },
        status: 422,
        body: { tiles: ["is too long (maximum is 100 items)"] },
      },
      { name: "the wrapper is needed", method: "PUT", path: own, sent: { token, json: { tiles: [] } }, status: 400 },
    ]);

    assert.deepEqual(await apps(), [two, one], "refused boards change nothing");
    const changes: [Record<string, unknown>, string[]][] = [
      [{ active: false }, [one]],
      [{ active: true }, [two, one]],
      [{ department_id: support }, [one]],
      [{ department_id: null }, [two, one]],
      [{ dashboard_widget: false }, [one]],
    ];
    await inTurn(changes, async ([app, expected]) => {
      assert.equal((await ask("PATCH", `/platform/apps/${two}.json`, { json: { app } })).status, 200);
      assert.deepEqual(await apps(), expected, JSON.stringify(app));
    });
    assert.equal((await ask("DELETE", `/platform/apps/${one}.json`)).status, 204);
    assert.deepEqual(await apps(), []);
    assert.equal((await ask("DELETE", own, { token })).status, 204);
    assert.equal((await ask("GET", own, { token })).body.is_default, true);
  },
);

inAccount(
  "dashboards: a save keeps the tiles that its sender cannot see now, and none of an app twice",
  async ({ ask, play }) => {
    const path = "/account/dashboard.json";
    const add = async (name: string): Promise<string> => {
      const app = { name, app_engine: "html", source_code: "<p>", dashboard_widget: true };
      return made(await ask("POST", "/platform/apps.json", { json: { app } })).id;
    };
    const [one, two, three] = [await add("One"), await add("Two"), await add("Three")];
    const { token } = await addPerson(ask, "user");
    const tile = (app_id: string, y = 0) => ({ app_id, x: 0, y, w: 6, h: 4 });
    const put = (...tiles: unknown[]) => ask("PUT", path, { token, json: { dashboard: { tiles } } });
    const ids = async () =>
      (await ask("GET", path, { token })).body.tiles.map(({ app_id }: { app_id: string }) => app_id);
    const turn = (app: string, active: boolean) =>
      ask("PATCH", `/platform/apps/${app}.json`, { json: { app: { active } } });

    await put(tile(one), tile(two, 4), tile(three, 8));
    await turn(two, false);
    assert.deepEqual((await put(tile(one, 2))).body.tiles.map(({ app_id }: { app_id: string }) => app_id), [one]);
    assert.equal((await put(tile(one), tile(two, 9))).status, 200, "a page that still shows it can save");
    await turn(two, true);
    assert.deepEqual(await ids(), [one, two], "it is back, and the one that was removed is not");
    await turn(two, false);
    assert.equal((await ask("DELETE", `/platform/apps/${two}.json`)).status, 204);
    assert.deepEqual((await put(tile(one), tile(two))).status, 200, "one that is gone is no fault of the sender");
    await put(tile(one));
    await play([{
      name: "an app has one tile",
      method: "PUT",
      path,
      sent: { token, json: { dashboard: { tiles: [tile(one), tile(three), tile(one.toUpperCase(), 4)] } } },
      status: 422,
      body: { "tiles.2.app_id": ["has a tile already"] },
    }]);
    assert.deepEqual(await ids(), [one]);
  },
);

inAccount("dashboards: a save names the board that it replaces", async ({ ask }) => {
  const path = "/account/dashboard.json";
  const { token } = await addPerson(ask, "user");
  const put = (if_updated_at?: string | null) =>
    ask("PUT", path, { token, json: { dashboard: { tiles: [], if_updated_at } } });
  assert.equal((await put("2020-01-01T00:00:00.000+00:00")).status, 409, "there is none to replace");
  const first = await put(null);
  assert.equal(first.status, 200);
  const refused = await put(null);
  assert.deepEqual([refused.status, refused.body.current], [409, first.body]);
  const second = await put(first.body.updated_at);
  assert.equal(second.status, 200);
  assert.equal((await put(first.body.updated_at)).status, 409);
  assert.equal((await put()).status, 200);
  assert.equal((await put(second.body.updated_at)).status, 409);
});
