import assert from "node:assert/strict";
import { fieldsOf } from "../../input/messages.ts";
import { ConnectorFields } from "./fields.ts";

const GET = { method: "GET", path: "/x" };
const withMethod = (method: Record<string, unknown>) => ({ methods: { m: { ...GET, ...method } } });

Deno.test("definition: a valid definition is returned unchanged", () => {
  const fields = {
    auth: { type: "header", name: "X-Api-Key" },
    methods: {
      zebra: { method: "GET", path: "/rates/{base}.json", query: { n: "{n}", "a[]": null, b: 1 }, public: true },
      apple: {
        method: "POST",
        path: "",
        headers: { "X-Trace": "{run}" },
        body: { text: "Price {price}", list: ["{a.0.b}", { z: 1, a: null }], brace: "{{" },
      },
    },
  };
  assert.equal(JSON.stringify(ConnectorFields.parse(fields)), JSON.stringify(fields));
  assert.deepEqual(ConnectorFields.parse({}), {});
});

Deno.test("definition: a fault is named by its dotted path", () => {
  const rows: [fields: unknown, path: string, message: RegExp][] = [
    [{ metods: {} }, "metods", /not a known field/],
    [{ auth: {} }, "auth.type", /not included/],
    [{ auth: { type: "oauth" } }, "auth.type", /not included/],
    [{ auth: { type: "none", name: "x" } }, "auth.name", /not a known field/],
    [{ auth: { type: "basic" } }, "auth.username", /blank/],
    [{ auth: { type: "basic", username: "a:b" } }, "auth.username", /colon/],
    [{ auth: { type: "header", name: "a b" } }, "auth.name", /not a header's name/],
    [{ auth: { type: "header", name: "Host" } }, "auth.name", /set by the server/],
    [{ auth: { type: "query", name: "a&b" } }, "auth.name", /query parameter/],
    [{ methods: { "9": GET } }, "methods.9", /must be a letter/],
    [withMethod({ pth: "/" }), "methods.m.pth", /not a known field/],
    [withMethod({ path: "rates" }), "methods.m.path", /must begin with \//],
    [withMethod({ path: "/a?b=c" }), "methods.m.path", /query/],
    [withMethod({ path: "/{a" }), "methods.m.path", /begins no \{name\}/],
    [withMethod({ path: "/../x" }), "methods.m.path", /no \. or \.\./],
    [withMethod({ path: undefined }), "methods.m.path", /blank/],
    [withMethod({ method: "get" }), "methods.m.method", /not included/],
    [withMethod({ method: "CONNECT" }), "methods.m.method", /not included/],
    [withMethod({ query: { a: {} } }), "methods.m.query.a", /single value/],
    [withMethod({ query: { "a b": 1 } }), "methods.m.query.a b", /query parameter/],
    [withMethod({ headers: { Host: "x" } }), "methods.m.headers.Host", /set by the server/],
    [withMethod({ headers: { "content-length": "1" } }), "methods.m.headers.content-length", /set by the server/],
    [withMethod({ headers: { x: "a\r\nb: c" } }), "methods.m.headers.x", /line breaks/],
    [withMethod({ headers: { x: 1 } }), "methods.m.headers.x", /must be a string/],
    [withMethod({ headers: { "X-A": "1", "x-a": "2" } }), "methods.m.headers.x-a", /twice/],
    [withMethod({ body: {} }), "methods.m.body", /null with GET/],
    [withMethod({ method: "POST", body: { a: ["{"] } }), "methods.m.body.a.0", /begins no/],
    [withMethod({ method: "POST", body: "\0" }), "methods.m.body", /cannot be stored/],
    [withMethod({ public: "yes" }), "methods.m.public", /boolean/],
    [
      { auth: { type: "bearer" }, ...withMethod({ headers: { Authorization: "x" } }) },
      "methods.m.headers.Authorization",
      /secret/,
    ],
    [{ auth: { type: "query", name: "key" }, ...withMethod({ query: { key: "x" } }) }, "methods.m.query.key", /secret/],
    [withMethod({ method: "POST", body: "x".repeat(70_000) }), "base", /maximum is 65536/],
  ];
  for (const [fields, path, message] of rows) {
    const { error } = ConnectorFields.safeParse(fields);
    const faults = fieldsOf(error?.issues ?? []);
    assert.deepEqual(Object.keys(faults), [path], JSON.stringify(faults));
    assert.match(faults[path]?.join() ?? "", message, path);
  }
});

Deno.test("definition: an end to methods", () => {
  const many = (count: number) => ({
    methods: Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, GET])),
  });
  assert.equal(ConnectorFields.safeParse(many(100)).success, true);
  assert.equal(ConnectorFields.safeParse(many(101)).success, false);
});
