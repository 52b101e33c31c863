/** Saves while hostile sources of one account occupy its worker: which wait, which are refused, what others notice. */
import assert from "node:assert/strict";
import { HANGS } from "./compiler/hostile.ts";
import type { Answer } from "../stage/harness.ts";
import { addAccount, as, made } from "../stage/people.ts";
import { onSharedServer } from "../stage/scenario.ts";

const inAccount = onSharedServer();

const APPS = "/platform/apps.json";

const json = (source_code: string) => ({ json: { app: { name: "App", css_engine: "none", source_code } } });

/** The sources differ, because equal ones share one compile. */
const small = (text: string) => json(`<p>${text}</p>`);
const hanging = (text: string) => json(`${HANGS}<p>${text}</p>`);

/** More than one account's share of the queue, fewer than the whole queue. */
const SAVES = 40;

inAccount("load: while one account's sources hang the compiler, all others are served", async ({ server, ask }) => {
  const other = as(ask, (await addAccount(server)).token);
  const page = made(await ask("POST", APPS, { json: { app: { ...small("first").json.app, public: true } } }));

  const finished: string[] = [];
  const save = async (speak: typeof ask, name: string, sent: ReturnType<typeof json>): Promise<Answer> => {
    const answer = await speak("POST", APPS, sent);
    finished.push(name);
    return answer;
  };
  let attacked = true;
  const hostile = Promise.all(["one", "two"].map((name) => save(ask, name, hanging(name))))
    .finally(() => attacked = false);
  // This source needs no worker. The hostile ones are in the queue before it is saved.
  made(await ask("POST", APPS, { json: { app: { ...small("html").json.app, app_engine: "html" } } }));
  const own = Array.from({ length: SAVES }, (_, i) => save(ask, `own ${i}`, small(`own ${i}`)));
  const others = save(other, "other", small("other"));

  const answers: number[] = [];
  while (attacked) {
    answers.push((await ask("GET", "/account/departments.json")).status);
    answers.push((await ask("GET", `/a/${page.id}`, { token: null })).status);
  }
  assert.ok(answers.length >= 10, `${answers.length} requests were answered meanwhile`);
  assert.deepEqual(new Set(answers), new Set([200]));

  for (const { status, body } of await hostile) {
    assert.equal(status, 422);
    assert.match(body.source_code[0], /timed out|too much memory/);
  }
  assert.equal((await others).status, 201, "an account that waits has its turn");
  const saved = await Promise.all(own);
  const sent_away = saved.filter(({ status }) => status === 503);
  assert.ok(sent_away.length > 0, "one account cannot fill the whole queue");
  for (const { headers, body } of sent_away) {
    assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    assert.match(body.error, /busy/);
  }
  const created = finished.filter((name) => /^own/.test(name) && saved[Number(name.slice(4))]?.status === 201);
  assert.equal(created.length, SAVES - sent_away.length, "all others are saved");
  assert.ok(finished.indexOf("other") < finished.indexOf("two"), "before the second hostile source has ended");
  const busy = server.logged.filter((line) => line.includes("The compiler is busy")).map((line) => JSON.parse(line));
  assert.deepEqual(new Set(busy.map(({ level, event }) => `${level} ${event}`)), new Set(["warn request refused"]));
  assert.equal((await ask("POST", APPS, small("next"))).status, 201, "the next save works");
});
