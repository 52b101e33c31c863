/** The form of a connector: everything that the server knows survives it, faults are named, changes of two people merge. */
import assert from "node:assert/strict";
import { type Connector, differing, formOf, newMethod, paramOf, paramsOf, rebased, sentOf } from "./connector_form.ts";

const AUTHS: Connector["fields"]["auth"][] = [
  { type: "none" },
  { type: "bearer" },
  { type: "basic", username: "ada" },
  { type: "header", name: "X-Key" },
  { type: "query", name: "key" },
  {
    type: "oauth2_client_credentials",
    token_url: "https://login.example.com/token",
    client_id: "atrium",
    scope: "read",
    client_auth: "body",
  },
  { type: "hmac", header: "X-Sign", algorithm: "sha512", encoding: "base64", prefix: "v1=", signs: "body" },
  {
    type: "hmac",
    header: "X-Sign",
    algorithm: "sha1",
    encoding: "hex",
    prefix: "",
    signs: "timestamp.body",
    timestamp_header: "X-At",
  },
];

const METHODS: Connector["fields"]["methods"] = {
  zebra: { method: "GET", path: "/a/{base}", query: { n: "{n}", all: true, none: null, page: 1 }, public: true },
  list: { method: "POST", path: "", headers: { "X-A": "{a.b}" }, body: { a: ["{c}", 1] }, response: "csv" },
  form: { method: "PUT", path: "/f", body_type: "form", body: "{whole}" },
  plain: { method: "POST", path: "/t", body_type: "text", body: "Hello {name}, {{ and {{not}" },
  graph: {
    method: "POST",
    path: "/graphql",
    body_type: "graphql",
    body: { query: "query { user { name } }", variables: { id: "{id}" }, operation_name: "x" },
  },
};

const connector = (fields: Connector["fields"] = {}): Connector => ({
  id: 1,
  kind: "platform/custom_connector",
  code: "fx",
  name: "Exchange rates",
  url: "https://api.example.com/v1",
  has_secret_token: true,
  fields,
  department_id: null,
  lock_version: 0,
  created_at: "2026-11-21T08:30:00.000+00:00",
  updated_at: "2026-11-21T08:30:00.000+00:00",
  used_by: [],
});

Deno.test("connector form: a save sends what was read, for every kind of authentication and of body", () => {
  for (const auth of AUTHS) {
    const fields: Connector["fields"] = { auth, methods: METHODS, per_second: 2.5 };
    const { connector: sent, faults } = sentOf(formOf(connector(fields)));
    assert.deepEqual(faults, {});
    assert.deepEqual(sent.fields, fields);
  }
  assert.deepEqual(sentOf(formOf()).connector, {
    name: "",
    url: "",
    department_id: null,
    fields: { auth: { type: "none" }, methods: {} },
  });
});

Deno.test("connector form: parameters of a method, and their values", () => {
  const names = formOf(connector({ methods: METHODS })).methods.map((method) => paramsOf(method).join());
  assert.deepEqual(names, ["base,n", "a,c", "whole", "name", "id"]);
  assert.deepEqual(["EUR", "1", '"1"', "true", "[1]", "{", ""].map(paramOf), ["EUR", 1, "1", true, [1], "{", ""]);
});

Deno.test("connector form: what cannot be sent is named at its method", () => {
  const form = formOf(connector({ methods: METHODS }));
  const [zebra, list, , , graph] = form.methods;
  assert.ok(zebra && list && graph);
  zebra.name = "9";
  list.body = "{";
  graph.graphql.variables = "[";
  form.methods.push({ ...newMethod("form"), key: "+x" });
  form.per_second = "many";
  assert.deepEqual(Object.keys(sentOf(form).faults).sort(), [
    "fields.methods.+x.name",
    "fields.methods.graph.body.variables",
    "fields.methods.list.body",
    "fields.methods.zebra.name",
    "fields.per_second",
  ]);
  list.method = "GET";
  assert.equal(sentOf(form).connector.fields?.methods?.list?.body, undefined, "a GET has no body");
});

Deno.test("connector form: changes of two people merge; what both changed is named", () => {
  const base = formOf(connector({ methods: METHODS }));
  const mine = structuredClone(base);
  const theirs = structuredClone(base);
  const of = (form: typeof base, key: string) => form.methods.find((method) => method.key === key) ?? newMethod("none");
  mine.name = "Rates";
  of(mine, "list").path = "/mine";
  of(mine, "zebra").path = "/mine";
  mine.methods = [...mine.methods.filter(({ key }) => key !== "form"), { ...newMethod("fresh"), key: "+1" }];
  theirs.url = "https://other.example.com";
  of(theirs, "plain").body = "Bye";
  of(theirs, "zebra").path = "/theirs";
  assert.deepEqual(differing(mine, base), ["name", "method zebra", "method list", "method +1", "method form"]);
  const { form, disputed } = rebased(mine, base, theirs);
  assert.deepEqual(disputed, ["method zebra"]);
  assert.deepEqual([form.name, form.url], ["Rates", "https://other.example.com"]);
  assert.deepEqual(form.methods.map(({ key, path, body }) => [key, path, body.slice(0, 3)]), [
    ["zebra", "/mine", ""],
    ["list", "/mine", "{\n "],
    ["plain", "/t", "Bye"],
    ["graph", "/graphql", ""],
    ["+1", "/", ""],
  ]);
});
