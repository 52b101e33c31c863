/** The assistant, with a stand-in for the language model: its events, its corrections, its failures, and its key. */
import assert from "node:assert/strict";
import { startServer } from "../../stage/harness.ts";
import { chatStandIn } from "../../stage/network/chat_stand_in.ts";
import { addPerson, as, type Ask, made } from "../../stage/people.ts";
import { BESIDE_SERVER, inTurn, onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const KEY = "canary-of-the-ai-key";
const model = chatStandIn();
Deno.test.afterAll(async () => await model[Symbol.asyncDispose]());
const inAccount = onSharedServer({ AI_URL: `${model.url}/`, AI_KEY: KEY, AI_MODEL: "example-1" });

const SOURCE = `<script>\n  let count = $state(0);\n</script>\n<button>{count}</button>\n<p>a</p><p>a</p>\n`;
const block = (edit: unknown) => `\`\`\`replace\n${typeof edit === "string" ? edit : JSON.stringify(edit)}\n\`\`\`\n`;
const GOOD = { old: "<button>", new: `<button onclick={() => count++} title="$&">` };
const BAD = { old: "{count}</button>", new: "{count </button>" };

/** @returns the events, without `start`, and texts that follow each other as one */
async function assist(ask: Ask, id: string, more: Record<string, unknown> = {}) {
  const json = { messages: [{ role: "user", content: "Count clicks" }], source_code: SOURCE, ...more };
  const { status, headers, body } = await ask("POST", `/platform/apps/${id}/assist`, { json });
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.ok(!body.includes(KEY));
  const events = [...body.matchAll(/event: (\w+)\ndata: (.*)\n/g)].map((
    [, event, data],
  ): [string, unknown] => [event, JSON.parse(data)]);
  assert.deepEqual(events.shift(), ["start", { model: "example-1" }]);
  const text = events.flatMap(([event, data]) => event === "text" ? [(data as { text: string }).text] : []).join("");
  return { text, events: events.filter(([event]) => event !== "text") };
}

const create = async (ask: Ask, more = {}) =>
  made(
    await ask("POST", "/platform/apps.json", {
      json: { app: { name: "Count", app_engine: "svelte", css_engine: "none", source_code: "<p>saved</p>", ...more } },
    }),
  );

inAccount("assistant: text and edits of the source as it is, with the app's prompt", async ({ ask }) => {
  const app = await create(ask, { prompt: "Keep the button large" });
  model.requests.length = 0;
  model.answers.push({ text: `Sure.\n${block(GOOD)}And:\n${block({ old: "<p>a</p><p>a</p>", new: "" })}` });
  const { text, events } = await assist(ask, app.id, {
    messages: [{ role: "user", content: "Hello" }, { role: "assistant", content: "Hi" }, {
      role: "user",
      content: "Go",
    }],
  });
  assert.equal(text, "Sure.\nAnd:\n");
  assert.deepEqual(events, [
    ["edit", GOOD],
    ["edit", { old: "<p>a</p><p>a</p>", new: "" }],
    ["done", { edits: 2, ok: null }],
  ]);
  const [{ path, key, body }] = model.requests as [typeof model.requests[number]];
  assert.deepEqual([path, key, body.model, body.stream], ["/v1/chat/completions", `Bearer ${KEY}`, "example-1", true]);
  const [system, hello, hi, last] = body.messages;
  assert.match(system.content, /Svelte 5[^]*"old" must occur exactly once[^]*db\(code\?\)[^]*Keep the button large/);
  assert.deepEqual([hello.content, hi, last.role, last.content.startsWith("Go")], [
    "Hello",
    { role: "assistant", content: "Hi" },
    "user",
    true,
  ]);
  assert.ok(last.content.includes(SOURCE), "the unsaved source");
  assert.equal(
    (await ask("GET", `/platform/apps/${app.id}.json`)).body.source_code,
    "<p>saved</p>",
    "nothing is stored",
  );
});

inAccount("assistant: what is wrong with an edit is told to the model at most twice", async ({ ask }) => {
  const app = await create(ask);
  const asked = async (compile: boolean, ...answers: string[]) => {
    model.requests.length = 0;
    model.answers.push(...answers.map((text) => ({ text })));
    const { events } = await assist(ask, app.id, { compile });
    assert.equal(model.answers.length, 0);
    return events;
  };
  const corrected = await asked(true, block(BAD), block({ old: "{count </button>", new: "{count}</button>" }));
  assert.deepEqual(corrected.map(([event]) => event), ["edit", "check", "edit", "check", "done"]);
  assert.match(JSON.stringify(corrected[1]), /"ok":false,"messages":\["4:\d+ /);
  assert.deepEqual([corrected[3], corrected[4]], [["check", { ok: true, messages: [] }], ["done", {
    edits: 2,
    ok: true,
  }]]);
  const [, correction] = model.requests;
  assert.equal(correction?.body.messages.at(-2).role, "assistant");
  assert.match(correction?.body.messages.at(-1).content, /is wrong:\n\n4:\d+ [^]*\{count <\/button>/);

  const useless = block({ old: "<p>a</p>", new: "x" });
  const refused = await asked(false, useless, block("{old: 1}"), block({ old: "nowhere", new: "" }));
  assert.deepEqual(refused.map(([event]) => event), ["check", "check", "check", "done"], "and no fourth request");
  assert.match(JSON.stringify(refused), /occurs 2 times.*is no JSON object.*occurs 0 times/);
  assert.deepEqual(refused.at(-1), ["done", { edits: 0, ok: false }]);
  assert.deepEqual(await asked(true, "No change is needed."), [["done", { edits: 0, ok: null }]]);
});

inAccount(
  "assistant: a failure of the model is one sentence, without its answer and without the key",
  async ({ ask, server }) => {
    const app = await create(ask);
    const cases: [Parameters<typeof model.answers.push>[0], RegExp][] = [
      [{ status: 401, body: KEY }, /refuses this server's key.*AI_KEY/],
      [{ status: 404 }, /AI_URL and AI_MODEL/],
      [{ status: 429 }, /busy/],
      [{ status: 500, body: "<html>" }, /the status 500/],
      [{ status: 302 }, /the status 302/],
      [{ status: 200, body: "<html>" }, /no stream of events/],
      [{ raw: "data: {nonsense\n\n" }, /cannot be read/],
      [{ raw: `data: {"error":{"message":"${KEY}"}}\n\n` }, /reports a failure/],
      [{ raw: `data: {"choices":[{"delta":{"content":"Half"}}]}\n\n` }, /broke off/],
      [{ text: "Half of it", ends: "cut" }, /broke off/],
      [{ text: "Too long", ends: "length" }, /cut off/],
    ];
    await inTurn(cases, async ([answer, message]) => {
      model.answers.push(answer);
      const { events: [event, ...more] } = await assist(ask, app.id);
      assert.match(JSON.stringify(event), message);
      assert.match(JSON.stringify(event), /^\["error",\{"error":"The .*","code":"unavailable"\}\]$/);
      assert.deepEqual(more, []);
    });
    await until(() => server.logged.some((line) => line.includes(`"event":"assistant"`)), "the failures are logged");
    assert.ok(!server.logged.join().includes(KEY));
  },
);

inAccount(
  "assistant: for those who may change the app; the client's end ends the model's answer",
  async ({ ask, play, server, admin }) => {
    const app = await create(ask);
    const path = `/platform/apps/${app.id}/assist`;
    const json = { messages: [{ role: "user", content: "Go" }], source_code: "" };
    const user = await addPerson(ask, "user");
    await play([
      { name: "a user", method: "POST", path, sent: { json, token: user.token }, status: 403 },
      {
        name: "no app",
        method: "POST",
        path: path.replace(/.{12}\/assist/, "000000000000/assist"),
        sent: { json },
        status: 404,
      },
      {
        name: "no question",
        method: "POST",
        path,
        sent: { json: { ...json, messages: [] } },
        status: 422,
        body: { messages: /./ },
      },
      { name: "no object", method: "POST", path, sent: { json: [] }, status: 400 },
    ]);
    assert.equal((await ask("GET", "/account/me.json")).body.assistant, true);
    const before = model.requests.length;
    model.answers.push({ silent: true });
    const left = new AbortController();
    const headers = { authorization: `Bearer ${admin.token}`, "content-type": "application/json" };
    const answer = await server.handler(
      new Request(`http://atrium.test${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(json),
        signal: left.signal,
      }),
    );
    const reader = answer.body?.getReader();
    for (let read = 0; read < 2; read++) await reader?.read();
    const waiting = reader?.read();
    await until(() => model.requests.length > before, "the model is asked");
    left.abort();
    await reader?.cancel();
    await waiting;
    await until(() => model.left(), "the model's answer is cancelled");
    await ask("PATCH", "/account.json", { json: { account: { rate_limits: { compiles: 1 } } } });
    model.answers.push({ text: "1" });
    await assist(ask, app.id);
    assert.equal((await ask("POST", path, { json })).status, 429);
  },
);

Deno.test("assistant: without AI_URL there is none", BESIDE_SERVER, async () => {
  const server = await startServer();
  try {
    const ask = as(server.request, "admin-token-of-the-tests");
    assert.equal((await ask("GET", "/account/me.json")).body.assistant, false);
    const { id } = made(
      await ask("POST", "/platform/apps.json", {
        json: { app: { name: "A", app_engine: "html", source_code: "<p>" } },
      }),
    );
    const json = { messages: [{ role: "user", content: "Go" }], source_code: "" };
    const { status, body } = await ask("POST", `/platform/apps/${id}/assist`, { json });
    assert.deepEqual([status, body.error], [404, "Assistant not found"]);
  } finally {
    await server.close();
  }
});
