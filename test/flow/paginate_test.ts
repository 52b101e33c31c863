/** `paginate` of connector steps. */
import assert from "node:assert/strict";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

inTeam("paginate: links, cursors and pages are followed and collected in one step of the journal", async (stage) => {
  const { api, ask, run } = stage;
  const methods = {
    list: { method: "GET", path: "/{path}", query: { page: "{page}", after: "{after}", fixed: "1" } },
    link: { method: "GET", path: "/{path}" },
  };
  const fields = { auth: { type: "query", name: "key" }, per_second: 1_000, methods };
  const connector = { code: "paged", name: "Paged", url: `${api.origin}/api`, secret_token: "page-secret", fields };
  const json = { connector };
  assert.equal((await ask("POST", "/connect/connectors.json", { json })).status, 201);

  const asked: string[] = [];
  const answer = (path: string, respond: (query: URLSearchParams, count: number) => Response) =>
    api.answers.set(path, (count) => {
      const { query = "" } = api.calls.at(-1) ?? {};
      asked.push(query);
      return respond(new URLSearchParams(query), count);
    });
  answer("/api/linked", (query, count) => {
    assert.equal(query.get("key"), "page-secret", "the secret is sent with each page");
    const next = `<${api.origin}/api/linked?p=${count + 1}&key=page-secret>; rel="next"`;
    return Response.json([count], count < 3 ? { headers: { link: next } } : {});
  });
  answer("/api/cursors", (query) => {
    const after = Number(query.get("after") ?? 0);
    const data = [{ id: after + 1 }, { id: after + 2 }];
    return Response.json({ data, has_more: after < 4, fixed: query.get("fixed") });
  });
  answer("/api/counted", (query) => Response.json({ items: Number(query.get("page")) < 20 ? ["a"] : [] }));
  answer("/api/outside", () => Response.json({ next: `${api.origin}/other` }));
  answer("/api/circle", () => Response.json({ next: "/api/circle" }));
  const turned = `${api.origin}/api/turned?b=x+y&a=1`;
  answer("/api/turned", (query) => Response.json({ next: query.has("a") ? "?a=1&b=x%20y#end" : turned }));
  for (const [at, next] of [["start", "deep/2"], ["deep/2", "3?key=page-secret"], ["deep/3", null]] as const) {
    answer(`/api/${at}`, () => Response.json({ next, items: [at] }));
  }
  answer("/api/large", () => Response.json({ items: ["x".repeat(900_000)] }));
  answer("/api/odd", () => Response.json({ items: "none" }));

  const step = (method: string, path: string, paginate: unknown, more: Record<string, unknown> = {}) => [
    {
      type: "connector",
      id: "all",
      connector_code: "paged",
      method,
      params: { path, page: null, after: null },
      paginate,
      ...more,
    },
    { type: "return", data: "{json_object}" },
  ];
  const of = async (...given: Parameters<typeof step>) => {
    asked.length = 0;
    const { data, error, process } = await run(step(...given));
    return { data, error, steps: process.steps, pages: asked.length };
  };

  const linked = await of("link", "linked", { by: "link" });
  assert.deepEqual([linked.data, linked.pages, linked.steps.length], [[1, 2, 3], 3, 2], JSON.stringify(linked));
  assert.deepEqual([linked.steps[0].attempts, linked.steps[0].call.attempts.length], [1, 1]);
  assert.doesNotMatch(JSON.stringify(linked.steps), /page-secret/);

  const stripe = { by: "cursor", cursor: "data.-1.id", param: "after", more: "has_more", collect: "data" };
  const cursors = await of("list", "cursors", stripe, { pick: "*.id" });
  assert.deepEqual([cursors.data, cursors.pages], [[1, 2, 3, 4, 5, 6], 3]);
  assert.ok(asked.every((query) => query.includes("fixed=1")));

  const counted = await of("list", "counted", { by: "page", param: "page", first: 0, step: 10, collect: "items" });
  assert.deepEqual([counted.data, counted.pages], [["a", "a"], 3]);
  assert.deepEqual(asked.map((query) => new URLSearchParams(query).get("page")), ["0", "10", "20"]);

  const most = await of("list", "cursors", { ...stripe, most: 2 });
  assert.deepEqual([most.data.length, most.steps[0].warnings], [4, [
    "paginate: there are more than 2 pages; the others are left out",
  ]]);
  for (const [path, pages] of [["circle", 1], ["turned", 2]] as const) {
    const { data, ...circle } = await of("link", path, { by: "link", next: "next" });
    assert.deepEqual([data.length, circle.pages, circle.steps[0].warnings], [pages, pages, [
      `paginate: page ${pages} leads to itself, so it counts as the last one`,
    ]]);
  }
  const relative = await of("link", "start", { by: "link", next: "next", collect: "items" });
  assert.deepEqual(relative.data, ["start", "deep/2", "deep/3"], "a relative link begins at its page");
  const faults: [given: Parameters<typeof step>, error: string][] = [
    [["link", "outside", { by: "link", next: "next" }], "all: page 2: the address is not below the connector's"],
    [
      ["list", "large", { by: "page", param: "page", collect: "items" }],
      "all: the pages are larger than 2,097,152 bytes together",
    ],
    [["list", "odd", { by: "page", param: "page", collect: "items" }], "all: paginate: page 1 has no list at items"],
    [["list", "odd", { by: "page", param: "page" }], "all: paginate: page 1 is no list; collect names the list in it"],
    [
      ["list", "odd", { by: "cursor", cursor: "missing.x", param: "after", collect: "items" }],
      "all: paginate: page 1 has no list at items",
    ],
  ];
  for (const [given, error] of faults) assert.equal((await of(...given)).error, error);
});

inTeam("paginate: a page that fails is an attempt of the step, which begins anew", async (stage) => {
  const { api, run } = stage;
  let failed = false;
  api.answers.set("/paged", (count) => {
    if (count === 3 && !failed) {
      failed = true;
      return new Response("busy", { status: 503 });
    }
    return Response.json({ next: count >= 5 ? null : `/paged?after=${count}`, items: [count] });
  });
  const { status, data, process } = await run([{
    type: "connector",
    id: "all",
    connector_code: "api",
    method: "get",
    params: { path: "paged" },
    retry: { attempts: 2, delay: 0 },
    paginate: { by: "link", next: "next", collect: "items" },
  }]);
  assert.deepEqual([status, data], ["finished", [4, 5]]);
  assert.deepEqual(process.steps[0].call.attempts.map(({ status }: { status: number }) => status), [503, 200]);
  assert.match(process.steps[0].call.attempts[0].error, /^page 3: api answered 503/);
});
