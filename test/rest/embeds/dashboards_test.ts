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
