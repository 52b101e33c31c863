/** The fields that say where an app appears: `url_code` and `show_in_module`. */
import { addAccount } from "../../stage/people.ts";
import { onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/platform/apps.json";
const at = (id: string) => `/platform/apps/${id}.json`;
const json = (app: unknown) => ({ json: { app } });

/** An app that is not compiled, so that the test is fast. */
const JS = { name: "Clock", app_engine: "js", css_engine: "none", source_code: "document.title = 'x';" };

const refused = (name: string, app: Record<string, unknown>, body: unknown): Scenario => ({
  name,
  method: "POST",
  path: ALL,
  sent: json({ ...JS, ...app }),
  status: 422,
  body,
});

/** What is sent as `url_code`, and what is stored. */
const CODES: [given: string | null, code: string | null | RegExp][] = [
  ["counter", "counter"],
  ["My Counter", "my-counter"],
  ["Zażółć gęślą JAŹŃ", "zazolc-gesla-jazn"],
  ["Straße nach Île", "strasse-nach-ile"],
  ["a.b/c?d#e%20f", "a-b-c-d-e-20f"],
  ["a -- b---c", "a-b-c"],
  ["--a--", "a"],
  ["under_score-9", "under_score-9"],
  ["../../etc/passwd", "etc-passwd"],
  ["<script>", "script"],
  ["東京", /^[a-z0-9_-]+$/],
  ["😀 ok", /ok$/],
  ["", null],
  ["  ", null],
  ["!!!", null],
  ["---", null],
  [null, null],
  ["x".repeat(100), "x".repeat(100)],
  [`${"y".repeat(100)}!!!`, "y".repeat(100)],
];

inAccount("apps: url_code is cleaned", async ({ server, ask, play }) => {
  await play(CODES.map(([url_code, expected]): Scenario => ({
    name: `url_code: ${JSON.stringify(url_code)?.slice(0, 30)} becomes ${String(expected).slice(0, 30)}`,
    method: "POST",
    path: ALL,
    sent: json({ ...JS, url_code }),
    status: 201,
    body: { url_code: expected },
  })));
  const stranger = await addAccount(server);
  const counter = (await ask("GET", `${ALL}?q=my-counter`)).body[0];
  await play([
    refused("url_code: taken", { url_code: "counter" }, { url_code: ["has already been taken"] }),
    refused("url_code: taken once it is cleaned", { url_code: " Counter! " }, { url_code: ["has already been taken"] }),
    refused("url_code: 101 characters", { url_code: "x".repeat(101) }, { url_code: /too long/ }),
    refused("url_code: like an id", { url_code: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55" }, { url_code: /./ }),
    refused("url_code: like an id once it is cleaned", { url_code: "{0193A5C8-7A40-7C3E-9A43-6F0C2A9D1E55}" }, {
      url_code: /./,
    }),
    refused("url_code: NUL", { url_code: "a\0b" }, { url_code: /./ }),
    {
      name: "url_code: another account may have it",
      method: "POST",
      path: ALL,
      sent: { ...json({ ...JS, url_code: "counter" }), token: stranger.token },
      status: 201,
      body: { url_code: "counter" },
    },
    {
      name: "url_code: an update is cleaned as well",
      method: "PATCH",
      path: at(counter.id),
      sent: json({ url_code: "New Code" }),
      status: 200,
      body: { url_code: "new-code" },
    },
    {
      name: "url_code: an update to a taken one",
      method: "PATCH",
      path: at(counter.id),
      sent: json({ url_code: "COUNTER" }),
      status: 422,
      body: { url_code: ["has already been taken"] },
    },
    {
      name: "url_code: blank clears it",
      method: "PATCH",
      path: at(counter.id),
      sent: json({ url_code: "" }),
      status: 200,
      body: { url_code: null },
    },
  ]);
});

/** Source: spec, "Embedding". */
const MODULES = "organize mail crm kb cms connect voip form insight billing drive fiskator commerce account".split(" ");

inAccount("apps: show_in_module", async ({ play }) => {
  const row = (show_in_module: unknown, status: number): Scenario => ({
    name: `${JSON.stringify(show_in_module)} is ${status}`,
    method: "POST",
    path: ALL,
    sent: json({ ...JS, show_in_module }),
    status,
    body: { show_in_module: status === 201 ? show_in_module : ["is not included in the list"] },
  });
  await play([
    ...[...MODULES, "tasks/show", "contacts/index", "my_module/sub_page/show"].map((value) => row(value, 201)),
    ...[
      "unknown",
      "Organize",
      "organize ",
      "tasks/",
      "/tasks",
      "tasks//show",
      "Tasks/show",
      "tasks/show1",
      "../x",
      "a/b\n",
    ]
      .map((value) => row(value, 422)),
  ]);
});
