/** Partial edits (`replace.json`), and the versions that changes keep. */
import assert from "node:assert/strict";
import { made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/platform/apps.json";
const at = (id: string, rest = "") => `/platform/apps/${id}${rest}.json`;
const JS = { name: "App", app_engine: "js", css_engine: "none" };

const create = async (ask: Ask, app: Record<string, unknown>) =>
  made(await ask("POST", ALL, { json: { app: { ...JS, ...app } } }));

inAccount("replace: lock_version is checked first, and unknown keys are ignored", async ({ ask, play }) => {
  const { id, lock_version } = await create(ask, { source_code: "let a = 1;" });
  const edit = (name: string, json: Record<string, unknown>, status: number, body: unknown): Scenario => ({
    name,
    method: "PATCH",
    path: at(id, "/replace"),
    sent: { json: { field: "source_code", ...json } },
    status,
    body,
  });
  const now = { lock_version: lock_version + 1, source_code: "let a = 2;" };
  await play([
    edit("the current one", { old: "a = 1", new: "a = 2", lock_version, why: "a note" }, 200, now),
    edit("an outdated one", { old: "a = 2", new: "a = 3", lock_version }, 409, { code: "conflict", current: now }),
    edit("an outdated one, with a fragment that has gone", { old: "a = 1", new: "a = 3", lock_version }, 409, {
      current: now,
    }),
    edit("one that is no number", { old: "a = 2", new: "a = 3", lock_version: "1" }, 422, { lock_version: /./ }),
  ]);
});

inAccount("replace: a fragment at places that overlap is ambiguous", async ({ ask }) => {
  const { id } = await create(ask, { source_code: "let a = '🐇🐇🐇';" });
  const edit = async (json: Record<string, unknown>) => {
    const { status, body } = await ask("PATCH", at(id, "/replace"), { json: { field: "source_code", ...json } });
    return [status, body.old ?? body.source_code];
  };
  const old = "🐇🐇";
  const overlap = "occurs at places that overlap in source_code; make it longer, or send replace_all";
  assert.deepEqual(await edit({ old, new: "x" }), [422, [overlap]]);
  assert.deepEqual(await edit({ old, new: "x", replace_all: true }), [200, "let a = 'x🐇';"]);
});

inAccount("replace: source_code", async ({ ask, play }) => {
  const { id } = await create(ask, { source_code: "let a = 1;\nlet b = 1;\nlet żółw = '🐢';\n", prompt: null });
  const edit = (name: string, json: Record<string, unknown>, rest: Partial<Scenario> = {}): Scenario => ({
    name,
    method: "PATCH",
    path: at(id, "/replace"),
    sent: { json: { field: "source_code", ...json } },
    status: 200,
    ...rest,
  });
  const refused = (name: string, json: Record<string, unknown>, body: unknown) =>
    edit(name, json, { status: 422, body });
  await play([
    edit("a fragment that occurs once: 200 with the app", { old: "let a = 1;", new: "let a = 2;" }, {
      body: { id, ...JS, source_code: "let a = 2;\nlet b = 1;\nlet żółw = '🐢';\n", lock_version: 1 },
    }),
    edit("old_string and new_string are the same keys", { old_string: "a = 2", new_string: "a = 3" }, {
      body: { source_code: /^let a = 3;/ },
    }),
    edit("mixed, too", { old: "a = 3", new_string: "a = 4" }, { body: { source_code: /^let a = 4;/ } }),
    edit("both pairs, equal", { old: "a = 4", old_string: "a = 4", new: "a = 5", new_string: "a = 5" }, {
      body: { source_code: /^let a = 5;/ },
    }),
    refused("both olds, unequal", { old: "a = 5", old_string: "b = 1", new: "x" }, { old: /./ }),
    refused("both news, unequal", { old: "a = 5", new: "x", new_string: "y" }, { new: /./ }),
    refused("no old", { new: "x" }, { old: ["can't be blank"] }),
    refused("an empty old", { old: "", new: "x" }, { old: ["can't be blank"] }),
    refused("no new", { old: "a = 5" }, { new: /./ }),
    refused("an old that is no text", { old: 5, new: "x" }, { old: /./ }),
    refused("absent", { old: "nowhere", new: "x" }, { old: /./ }),
    refused("absent in this case", { old: "LET A", new: "x" }, { old: /./ }),
    refused("several: with the count", { old: "let ", new: "var " }, { old: /\b3\b/ }),
    edit("several, with replace_all", { old: "let ", new: "var ", replace_all: true }, {
      body: { source_code: "var a = 5;\nvar b = 1;\nvar żółw = '🐢';\n" },
    }),
    refused("replace_all must be true or false", { old: "var", new: "x", replace_all: "yes" }, { replace_all: /./ }),
    edit("signs that patterns would read are plain text", { old: "b = 1;", new: "b = '$& $1 $$ \\n';" }, {
      body: { source_code: /b = '\$& \$1 \$\$ \\n';/ },
    }),
    edit("over lines, and beyond the first plane", { old: ";\nvar żółw = '🐢'", new: ";\nvar ż = '🐇'" }, {
      body: { source_code: /var ż = '🐇'/ },
    }),
    edit("an empty new deletes", { old: "var a = 5;\n", new: "" }, { body: { source_code: /^var b/ } }),
    refused("a result that is blank", { old: "var b = '$& $1 $$ \\n';\nvar ż = '🐇';\n", new: " " }, {
      source_code: ["can't be blank"],
    }),
    refused("a result that is too long", { old: "var b", new: "x".repeat(200_000) }, { source_code: /too long/ }),
    refused("NUL in the result", { old: "var b", new: "\0" }, { new: /./ }),
    refused("an unknown field", { field: "name", old: "App", new: "x" }, { field: ["is not included in the list"] }),
    refused("no field", { field: undefined, old: "var b", new: "x" }, { field: /./ }),
    refused("a prompt that is not there", { field: "prompt", old: "a", new: "b" }, { old: /./ }),
    edit("a missing app", { old: "a", new: "b" }, {
      path: at("0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55", "/replace"),
      status: 404,
    }),
    {
      name: "the refused requests changed nothing",
      method: "GET",
      path: at(id),
      status: 200,
      body: { source_code: "var b = '$& $1 $$ \\n';\nvar ż = '🐇';\n", lock_version: 8 },
    },
  ]);
});

inAccount("replace: prompt and fields", async ({ ask, play }) => {
  const fields = { color: "red", list: [1, { deep: true }], dashboard_widget: false };
  const { id } = await create(ask, { source_code: "1", prompt: "Be kind. Be short.", fields });
  const edit = (name: string, json: Record<string, unknown>, status: number, body: unknown): Scenario => ({
    name,
    method: "PATCH",
    path: at(id, "/replace"),
    sent: { json },
    status,
    body,
  });
  await play([
    edit("prompt", { field: "prompt", old: "kind", new: "wise" }, 200, {
      prompt: "Be wise. Be short.",
      source_code: "1",
    }),
    edit("prompt: twice", { field: "prompt", old: "Be", new: "x" }, 422, { old: /\b2\b/ }),
    edit(
      "fields: as JSON indented by two spaces",
      { field: "fields", old: '"color": "red"', new: '"color": "blue"' },
      200,
      {
        fields: { ...fields, color: "blue" },
      },
    ),
    edit("fields: over lines", { field: "fields", old: '    {\n      "deep": true\n    }', new: "    2" }, 200, {
      fields: { ...fields, color: "blue", list: [1, 2] },
    }),
    edit("fields: a key that would be lost", { field: "fields", old: '"color"', new: '"__proto__"' }, 422, {
      "fields.__proto__": ["is not a known field"],
    }),
    edit(
      "fields: the widget is written through",
      {
        field: "fields",
        old: '"dashboard_widget": false',
        new: '"dashboard_widget": true',
      },
      200,
      { dashboard_widget: true },
    ),
    edit("fields: what does not parse again", { field: "fields", old: '"blue"', new: '"blue' }, 422, { fields: /./ }),
    edit("fields: a key quoted away", { field: "fields", old: "{\n", new: "[\n" }, 422, { fields: /./ }),
    edit("fields: NUL, escaped", { field: "fields", old: "blue", new: "\\u0000" }, 422, { fields: /./ }),
    {
      name: "nothing is changed",
      method: "GET",
      path: at(id),
      status: 200,
      body: { fields: { color: "blue" }, lock_version: 4 },
    },
    edit("fields: a large integer is not rounded", { field: "fields", old: '"blue"', new: "9007199254740993" }, 200, {
      fields: { color: "9007199254740993" },
    }),
  ]);
});

interface Listed {
  version: number;
}

inAccount("versions: every change of source, engines or actions keeps the one before", async ({ ask, play }) => {
  const { id } = await create(ask, { source_code: "one" });
  const versions = async () => (await ask("GET", at(id, "/versions"))).body.map(({ version }: Listed) => version);
  const update = (app: unknown) => ask("PATCH", at(id), { json: { app } });
  assert.deepEqual(await versions(), [], "a new app has none");
  await inTurn([{ name: "Renamed" }, { source_code: "one" }, { description: "x", public: true }, {}], update);
  assert.deepEqual(await versions(), [], "what changes none of those keeps none");
  await update({ source_code: "two" });
  await update({ app_engine: "html" });
  await update({ css_engine: "tailwind" });
  await update({ actions: [{ action: "a", flow_code: "f" }] });
  await ask("PATCH", at(id, "/replace"), { json: { field: "source_code", old: "two", new: "three" } });
  const kept = await versions();
  assert.equal(kept.length, 5);
  await update({ source_code: "three", actions: [{ flow_code: "f", public: false, action: "a" }] });
  assert.deepEqual(await versions(), kept, "what is sent as it is keeps none");
  await update({ source_code: "" });
  assert.deepEqual(await versions(), kept, "a refused change keeps none");
  const [latest, , , , first] = kept;
  await play([
    {
      name: "list: a page of them",
      method: "GET",
      path: `${at(id, "/versions")}?per_page=2`,
      status: 200,
      headers: { "x-total-count": "5", link: /rel="next"/ },
      then: ({ body }) => assert.equal(body.length, 2),
    },
    {
      name: "restore: 200 with the app as it was; its name stays",
      method: "POST",
      path: at(id, `/versions/${first}/restore`),
      status: 200,
      body: {
        id,
        source_code: "one",
        app_engine: "js",
        css_engine: "none",
        actions: [],
        name: "Renamed",
        public: true,
      },
      then: async () => assert.equal((await versions()).length, 6, "what it replaced is kept in turn"),
    },
    {
      name: "restore: the replaced text comes back",
      method: "POST",
      path: at(id, `/versions/${Math.max(latest) + 1}/restore`),
      sent: { headers: { "content-type": "application/json" } },
      status: 200,
      body: { source_code: "three", app_engine: "html", css_engine: "tailwind", actions: [{ action: "a" }] },
    },
    ...["0", "999", "abc", "-1", "2147483648", "99999999999999999999"].map((version): Scenario => ({
      name: `restore: version ${version} does not exist`,
      method: "POST",
      path: at(id, `/versions/${version}/restore`),
      status: 404,
    })),
    {
      name: "list: of a missing app",
      method: "GET",
      path: at("0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55", "/versions"),
      status: 404,
    },
    { name: "delete takes them along", method: "DELETE", path: at(id), status: 204 },
    { name: "list: of a deleted app", method: "GET", path: at(id, "/versions"), status: 404 },
  ]);
});
