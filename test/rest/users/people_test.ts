/** What the list of people shows of each user, and how it is searched, filtered and sorted. */
import assert from "node:assert/strict";
import { addAccount, addPerson, addSession, as, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/user_settings.json";

inAccount(
  "people: departments by name, last seen and last sign-in, also after the session has ended",
  async ({ server, ask, admin }) => {
    const { sql } = server;
    const add = async (path: string, json: unknown): Promise<number> => made(await ask("POST", path, { json })).id;
    const [workshop, sales] = [
      await add("/account/departments.json", { department: { name: "Workshop" } }),
      await add("/account/departments.json", { department: { name: "sales" } }),
    ];
    const team = await add("/account/teams.json", { team: { name: "Team" } });
    const ada = await addPerson(ask, "manager", {
      name: "Ada Żak",
      login: "ada_1",
      department_ids: [workshop, sales],
      team_ids: [team],
    });
    const bob = await addPerson(ask, "user", { name: "bob", login: "BÓB", without_department: false, active: false });
    const list = async (query = "") => {
      const { status, body, headers } = await ask("GET", `${ALL}?${query}`);
      assert.equal(status, 200, query);
      assert.equal(headers.get("x-total-count"), String(body.length), query);
      return body;
    };
    const one = async (id: number) => (await list(`id=${id}`))[0];

    const fresh = await one(ada.id);
    assert.deepEqual(fresh.departments, [{ id: sales, name: "sales" }, { id: workshop, name: "Workshop" }]);
    assert.deepEqual([fresh.last_seen_at, fresh.last_sign_in_at, fresh.role, fresh.active], [
      null,
      null,
      "manager",
      true,
    ]);
    const { departments: _names, last_seen_at: _seen, last_sign_in_at: _sign_in, ...rest } = fresh;
    assert.deepEqual((await ask("GET", `/account/user_settings/${ada.id}.json`)).body, rest, "a read is as it was");

    await sql`update tokens set last_used_at = '2026-01-02T03:04:05Z' where user_id = ${ada.id}`;
    const used = await one(ada.id);
    assert.deepEqual([used.last_seen_at, used.last_sign_in_at], ["2026-01-02T03:04:05.000+00:00", null], "by a token");
    const { id } = await addSession(server, ada.id);
    const signed_in = await one(ada.id);
    assert.ok(signed_in.last_seen_at > used.last_seen_at);
    assert.equal(signed_in.last_sign_in_at, signed_in.last_seen_at);
    await sql`update sessions set last_seen_at = last_seen_at + interval '1 hour' where id = ${id}`;
    await sql`delete from sessions where id = ${id}`;
    await sql`update tokens set last_used_at = '2026-01-03T00:00:00Z' where user_id = ${ada.id}`;
    const ended = await one(ada.id);
    assert.equal(Date.parse(ended.last_seen_at), Date.parse(signed_in.last_seen_at) + 3_600_000, "it never goes back");
    assert.equal(ended.last_sign_in_at, signed_in.last_sign_in_at);

    const rows: [query: string, ids: number[]][] = [
      ["q=ADA_", [ada.id]],
      ["q=ada%25", []],
      [`q=${encodeURIComponent("bób")}`, [bob.id]],
      ["q=manager.", [ada.id]],
      ["role=user", [bob.id]],
      ["active=false", [bob.id]],
      [`department_id=${sales}`, [ada.id]],
      ["department_id=", [admin.id, bob.id]],
      [`team_id=${team}`, [ada.id]],
      ["group_id=999999", []],
      ["sort=name", [ada.id, bob.id, admin.id]],
      ["sort=-name", [admin.id, bob.id, ada.id]],
      ["sort=-last_seen_at&q=people.test", [ada.id, bob.id]],
      ["sort=last_seen_at&q=people.test", [bob.id, ada.id]],
    ];
    await inTurn(rows, async ([query, ids]) => {
      assert.deepEqual((await list(query)).map(({ id }: { id: number }) => id), ids, query);
    });
    assert.equal((await ask("GET", `${ALL}?sort=role`)).status, 400);
    const stranger = await addAccount(server);
    assert.deepEqual((await as(ask, stranger.token)("GET", `${ALL}?id=${ada.id}`)).body, []);
    await ask("DELETE", `/account/user_settings/${ada.id}.json`);
    assert.equal((await sql`select from user_activity where user_id = ${ada.id}`).length, 0);
  },
);
