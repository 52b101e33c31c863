/** `pull` and `push` against a server that lies, and against a folder that leads elsewhere. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { Fault, readFiles } from "../../../client/package/archive/files.ts";
import { thingsOf } from "../../../client/package/archive/folder.ts";
import { pull } from "../../../client/package/archive/pull.ts";
import { push } from "../../../client/package/archive/push.ts";
import { createTransport } from "../../../client/package/transport.ts";

const URL = "http://atrium.example.com";

/** Answers with these things, a page each. */
const serverOf = (...pages: unknown[]) => serverThatHears(() => {}, ...pages);

const serverThatHears = (hear: (body: unknown) => void, ...pages: unknown[]) =>
  createTransport({
    url: URL,
    retries: 0,
    fetch: (address, { body } = {}) => {
      if (typeof body === "string") hear(JSON.parse(body));
      if (address.includes("/export.")) return Promise.resolve(new Response("{}\n"));
      return Promise.resolve(Response.json(pages.shift() ?? []));
    },
  });

const thing = (key: string, more = {}) => ({ kind: "flow", key, etag: "x", value: { name: key }, ...more });
const silent = () => {};
const PUSH = { url: URL, delete: false, dry_run: true, environment: {}, agree: () => Promise.resolve(true) };

async function inFolder(work: (folder: string, outside: string) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "atrium_folder_" });
  try {
    await Deno.mkdir(`${root}/outside`);
    await Deno.mkdir(`${root}/account`);
    await work(`${root}/account`, `${root}/outside`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const namesIn = async (folder: string) => (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();

Deno.test("folder: what a server sends is refused as a whole where it is no account, and nothing is written", async () => {
  const table = { kind: "db", value: { schema: { tables: { "../../outside": { fields: {} } } } } };
  const answers: unknown[] = [
    {},
    "text",
    [null],
    [[]],
    [{ ...thing("a"), value: null }],
    [{ ...thing("a"), value: [] }],
    [{ ...thing("a"), key: 1 }],
    [{ ...thing("a"), kind: undefined }],
    [thing("../../outside/a")],
    [thing("a"), thing("..")],
    [thing("a", { kind: "../outside" })],
    [thing("a", { kind: "__proto__" })],
  ];
  for (const answer of answers) {
    await inFolder(async (folder, outside) => {
      await assert.rejects(pull(serverOf(answer), { folder, url: URL, records: true }, silent), Fault);
      assert.deepEqual([await namesIn(folder), await namesIn(outside)], [[], []], JSON.stringify(answer));
    });
  }
  await inFolder(async (folder, outside) => {
    const transport = serverOf([thing("a", table)]);
    await assert.rejects(pull(transport, { folder, url: URL, records: true }, silent), /a table named \.\.\//);
    assert.deepEqual(await namesIn(outside), []);
  });
});

Deno.test("folder: symbolic links are not followed, neither to read nor to write", async () => {
  const links: [link: string, target: string][] = [
    ["flows", "outside"],
    ["flows/a.json", "outside/secret.json"],
    [".atrium", "outside"],
    [".atrium/atrium.example.com", "outside"],
    [".atrium/atrium.example.com/flows", "outside"],
  ];
  for (const [link, target] of links) {
    await inFolder(async (folder, outside) => {
      await Deno.writeTextFile(`${outside}/secret.json`, `{ "name": "secret" }`);
      await Deno.mkdir(dirname(`${folder}/${link}`), { recursive: true });
      await Deno.symlink(`${folder}/../${target}`, `${folder}/${link}`);
      await Deno.mkdir(`${folder}/departments`, { recursive: true });
      await Deno.writeTextFile(`${folder}/departments/sales.json`, `{ "name": "Sales" }`);
      const refuses = (error: unknown) => error instanceof Fault && /link/.test(error.message);
      await assert.rejects(pull(serverOf([thing("a")]), { folder, url: URL, records: false }, silent), refuses, link);
      await assert.rejects(push(serverOf([]), { ...PUSH, folder }, silent), refuses, link);
      assert.deepEqual(await namesIn(outside), ["secret.json"]);
      assert.equal(await Deno.readTextFile(`${outside}/secret.json`), `{ "name": "secret" }`);
    });
  }
  await inFolder(async (folder, outside) => {
    await Deno.symlink(outside, `${folder}/records`);
    const db = thing("a", { kind: "db" });
    await assert.rejects(pull(serverOf([db]), { folder, url: URL, records: true }, silent), /symbolic link/);
    assert.deepEqual(await namesIn(outside), []);
  });
});

Deno.test("folder: a file whose name differs in case from the server's is not replaced", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/flows`);
    await Deno.writeTextFile(`${folder}/flows/Ship.json`, `{ "name": "mine" }`);
    await assert.rejects(
      pull(serverOf([thing("ship")]), { folder, url: URL, records: false }, silent),
      /flows\/Ship\.json: must be called flows\/ship\.json/,
    );
    assert.equal(await Deno.readTextFile(`${folder}/flows/Ship.json`), `{ "name": "mine" }`);
  });
});

Deno.test("folder: a file in another encoding is refused, and a byte order mark is no part of JSON", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/apps`);
    await Deno.writeTextFile(`${folder}/apps/game.json`, `\ufeff{ "name": "Game", "app_engine": "js" }`);
    await Deno.writeFile(`${folder}/apps/game.js`, new Uint8Array([0x22, 0xfc, 0x22]));
    const refuses = (error: unknown) =>
      error instanceof Fault && error.message === "apps/game.js is not in UTF-8: save it in that encoding";
    await assert.rejects(push(serverOf([]), { ...PUSH, folder }, silent), refuses);
    await Deno.writeTextFile(`${folder}/apps/game.js`, `\ufeff"ü"`);
    const files = await readFiles(folder);
    assert.equal(files.get("apps/game.js"), `\ufeff"ü"`);
    const { things, faults } = thingsOf(files);
    assert.deepEqual([things.map(({ value }) => value.name), faults], [["Game"], []]);
  });
});

Deno.test("folder: CR LF, with which Git on Windows ends lines, is no change", async () => {
  const app = (source_code: string) => ({
    kind: "app",
    key: "game",
    etag: "x",
    value: { app_engine: "js", source_code },
  });
  await inFolder(async (folder) => {
    const said: string[] = [];
    const get = (source: string) =>
      pull(serverOf([app(source)]), { folder, url: URL, records: false }, (line) => said.push(line));
    const path = `${folder}/apps/game.js`;
    await get("a();\nb();\nc();\n");
    await Deno.writeTextFile(path, "a();\r\nb();\r\nc();\r\n");
    await get("a();\nb();\nc();\n");
    await get("a();\r\nb();\r\nc();\r\n");
    assert.deepEqual(said, ["created   apps/game.js", "created   apps/game.json"]);
    assert.equal(await Deno.readTextFile(path), "a();\r\nb();\r\nc();\r\n");
    await Deno.writeTextFile(path, "a(1);\r\nb();\r\nc();\r\n");
    await get("a();\nb();\nc(3);\n");
    assert.equal(await Deno.readTextFile(path), "a(1);\nb();\nc(3);\n");
  });
});

Deno.test("folder: of two alike that are gone, the one with the same name has been renamed", async () => {
  const alike = [thing("one"), thing("two")];
  await inFolder(async (folder) => {
    await pull(serverOf(alike), { folder, url: URL, records: false }, silent);
    await Deno.remove(`${folder}/flows/one.json`);
    await Deno.rename(`${folder}/flows/two.json`, `${folder}/flows/second.json`);
    const sent: unknown[] = [];
    const plan = { applied: false, changes: [], conflicts: [], unchanged: 0 };
    await push(serverThatHears((body) => sent.push(body), alike, plan), { ...PUSH, folder }, silent);
    const things = [{ kind: "flow", key: "second", value: { name: "two" }, renamed_from: "two" }];
    assert.partialDeepStrictEqual(sent, [{ archive: { things } }]);
  });
});

Deno.test("folder: a list that changes while it is read is read again", async () => {
  const page = (from: number, count: number) => Array.from({ length: count }, (_, at) => thing(`flow-${from + at}`));
  const answers: [unknown[], total: number][] = [
    // A thing is deleted after the first page: one of the second moves to the first, and is in neither.
    [page(0, 100), 102],
    [page(101, 1), 101],
    [page(1, 100), 101],
    [page(101, 1), 101],
  ];
  const transport = createTransport({
    url: URL,
    fetch: () => {
      const [things, total] = answers.shift() ?? [[], 0];
      return Promise.resolve(Response.json(things, { headers: { "x-total-count": String(total) } }));
    },
  });
  await inFolder(async (folder) => {
    assert.equal(await pull(transport, { folder, url: URL, records: false }, silent), true);
    assert.equal((await namesIn(`${folder}/flows`)).length, 101);
    assert.equal(answers.length, 0);
  });
});

Deno.test("folder: edits on the server during a push are no part of its base", async () => {
  const change = { kind: "flow", key: "ship", action: "create", from: null, fields: [], faults: {}, warnings: {} };
  const plan = { applied: true, changes: [{ ...change, etag: "mine" }], conflicts: [], unchanged: 0 };
  const listed = { etag: "mine", value: { name: "Ship", active: false } };
  for (const [etag, base] of [["mine", listed.value], ["theirs", { active: false, name: "Ship" }]] as const) {
    const value = etag === "mine" ? listed.value : { name: "Changed meanwhile" };
    const transport = serverOf([], plan, plan, [thing("ship", { etag, value })]);
    await inFolder(async (folder) => {
      await Deno.mkdir(`${folder}/flows`);
      await Deno.writeTextFile(`${folder}/flows/ship.json`, `{ "active": false, "name": "Ship" }`);
      assert.equal(await push(transport, { ...PUSH, folder, dry_run: false }, silent), true);
      const recorded = await Deno.readTextFile(`${folder}/.atrium/atrium.example.com/flows/ship.json`);
      assert.equal(JSON.stringify(JSON.parse(recorded)), JSON.stringify(base));
    });
  }
});
