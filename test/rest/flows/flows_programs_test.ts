/** Faults of programs: the path and the message of each. */
import { onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

type Program = unknown;
const mutation = (set: unknown, more: Record<string, unknown> = {}) => ({ type: "mutation", set, ...more });
const given = (condition: unknown, more: Record<string, unknown> = {}) => ({
  type: "if",
  condition,
  then: [],
  ...more,
});
const call = (more: Record<string, unknown>) => ({
  type: "connector",
  connector_code: "fx",
  method: "latest",
  ...more,
});
const record = (more: Record<string, unknown>) => ({ type: "record", db_code: "prices", ...more });
const retry = (retry: unknown) => [call({ retry })];

const nested = (depth: number): Program[] =>
  depth === 1 ? [mutation({})] : [given("{a} exists", { then: nested(depth - 1) })];

const NO_PLACEHOLDER = (text: string) =>
  `has ${text}, which is no placeholder such as {a.b.0}; the signs themselves are {{ and }}`;

/** The paths begin behind `fields.program`. */
const WRONG: [name: string, program: Program, faults: Record<string, string>][] = [
  ["no list", {}, { "": "must be an array" }],
  ["null", null, { "": "can't be blank" }],
  ["a step that is none", ["x"], { ".0": "must be an object" }],
  ["a step without a type", [{}], { ".0.type": "is not included in the list" }],
  ["a type that is none", [{ type: "loop" }], { ".0.type": "is not included in the list" }],
  ["a typo deep inside", [mutation({}), given("{a} exists", { then: [call({ metod: "x" })] })], {
    ".1.then.0.metod": "is not a known field",
  }],
  ["a key of another type of step", [mutation({}, { connector_code: "fx" })], {
    ".0.connector_code": "is not a known field",
  }],
  ["a connector step without its keys", [{ type: "connector" }], {
    ".0.connector_code": "can't be blank",
    ".0.method": "can't be blank",
  }],
  ["a code that is a template", [call({ connector_code: "{x}" })], {
    ".0.connector_code": "is not the code of a connector",
  }],
  ["an id in capitals", [mutation({}, { id: "First" })], {
    ".0.id": "must be a lower-case letter and at most 39 lower-case letters, digits and _",
  }],
  ["an id twice, in another branch", [
    mutation({}, { id: "a" }),
    given("{a} exists", { else: [mutation({}, { id: "a" })] }),
  ], {
    ".1.else.0.id": "has already been taken",
  }],
  ["a timeout of 301 seconds", [call({ timeout: 301 })], { ".0.timeout": "must be at most 300" }],
  ["a timeout that is a text", [call({ timeout: "30" })], { ".0.timeout": "is not a number" }],
  ["an on_error that is none", [call({ on_error: "ignore" })], { ".0.on_error": "is not included in the list" }],
  ["a catch that is never used", [call({ catch: [mutation({})] })], {
    ".0.catch": "is only used where on_error is catch",
  }],
  ["a fault in a catch", [call({ on_error: "catch", catch: [{ type: "mutation" }] })], {
    ".0.catch.0.set": "can't be blank",
  }],
  ["eleven attempts", retry({ attempts: 11 }), { ".0.retry.attempts": "must be at most 10" }],
  ["half an attempt", retry({ attempts: 1.5 }), { ".0.retry.attempts": "must be an integer" }],
  ["a backoff that is none", retry({ backoff: "linear" }), { ".0.retry.backoff": "is not included in the list" }],
  ["a retry on what is none", retry({ on: ["network", "3xx", 200] }), {
    ".0.retry.on.1": "must be network, timeout, 4xx, 5xx or a status from 400 to 599",
    ".0.retry.on.2": "must be at least 400",
  }],
  ["a retry on nothing", retry({ on: [] }), { ".0.retry.on": "can't be blank" }],
  ["a typo in retry", retry({ attemps: 2 }), { ".0.retry.attemps": "is not a known field" }],
  ["a brace that is never closed", [mutation({ a: "x {b" })], {
    ".0.set.a": "has a { that is never closed; the sign itself is {{",
  }],
  ["a brace that is never opened", [mutation({ a: "b}" })], {
    ".0.set.a": "has a } without a {; the sign itself is }}",
  }],
  ["braces that are no placeholder, in a list in an object", [call({ body: { a: ["{a b}", "{}", "{.x}"] } })], {
    ".0.body.a.0": NO_PLACEHOLDER("{a b}"),
    ".0.body.a.1": NO_PLACEHOLDER("{}"),
    ".0.body.a.2": NO_PLACEHOLDER("{.x}"),
  }],
  ["filters that are none, and wrong arguments", [
    mutation({ a: "{b|upper:1}", c: "x {b | plus}", d: "{b|default:[1}", e: "{b|round:}" }),
    mutation({ f: '{b|date:"yyyy-QQ"}', g: '{b|add:"1 day":"Mars"}', h: "{b|plus:1:2}", i: "{b|upper" }),
  ], {
    ".0.set.a": "has {b|upper:1}, and at character 4 the filter upper takes no argument",
    ".0.set.c": "has {b | plus}, and at character 8 the filter plus needs 1 argument",
    ".0.set.d": "has {b|default:[1}, and at character 12 has an argument that is neither JSON nor plain text",
    ".0.set.e":
      'has {b|round:}, and at character 10 has an argument that is neither JSON nor a name; texts stand in quotes: "…"',
    ".1.set.f":
      'has {b|date:"yyyy-QQ"}, and at character 4 the filter date has a format with QQ; known are yyyy, yy, ' +
      "MMMM, MMM, MM, M, dd, d, EEEE, EEE, HH, H, hh, h, a, mm, m, ss, s, SSS, XXX, and texts in '…'",
    ".1.set.g": 'has {b|add:"1 day":"Mars"}, and at character 4 the filter add needs a time zone such as ' +
      '"Europe/Warsaw", not "Mars"',
    ".1.set.h": "has {b|plus:1:2}, and at character 4 the filter plus takes 1 argument at most",
    ".1.set.i": "has a { that is never closed; the sign itself is {{",
  }],
  ["a name of the run's own", [mutation({ json_object: 1 })], {
    ".0.set.json_object": "is reserved (input, user, run, json_object, steps)",
  }],
  ["a name that is none", [mutation({ "a-b": 1 })], {
    ".0.set.a-b": "must be a letter or _ and at most 63 letters, digits and _",
  }],
  ["the name of the prototype", [JSON.parse('{"type":"mutation","set":{"__proto__":1}}')], {
    ".0.set.__proto__": "is not a known field",
  }],
  ["names in a circle", [mutation({ a: 1, b: "{c.x}", c: ["{d}"], d: "{b} and {a}", e: "{e}" })], {
    ".0.set.b": "needs itself in a circle: b → c → d → b",
  }],
  ["NUL in a text", [mutation({ a: "x\0" })], {
    ".0.set.a": "contains characters that cannot be stored (NUL or half of a surrogate pair)",
  }],
  ["a condition that is a number", [given(5)], { ".0.condition": "must be an object" }],
  ["an operator that is none", [given({ left: 1, operator: "gtt", right: 2 })], {
    ".0.condition.operator": "is not included in the list",
  }],
  ["a comparison without its right side", [given({ left: "{a}", operator: "eq" })], {
    ".0.condition.right": "can't be blank",
  }],
  ["a right side that nobody asks for", [given({ left: "{a}", operator: "exists", right: 1 })], {
    ".0.condition.right": "is not used by exists",
  }],
  ["a typo in a condition in a condition", [given({ all: [{ not: { lefft: 1, operator: "empty" } }] })], {
    ".0.condition.all.0.not.left": "can't be blank",
    ".0.condition.all.0.not.lefft": "is not a known field",
  }],
  ["all of nothing", [given({ all: [] })], { ".0.condition.all": "can't be blank" }],
  ["a fault in a side", [given({ left: "{a", operator: "empty" })], {
    ".0.condition.left": "has a { that is never closed; the sign itself is {{",
  }],
  ["a short condition without an operator", [given("{a}")], {
    ".0.condition": "has its end where an operator is expected, such as ==, > or contains",
  }],
  ["a text without quotes", [given("{a} == open")], {
    ".0.condition": "has open where a value is expected; texts stand in quotes",
  }],
  ["a parenthesis that is never closed", [given("({a} > 1")], { ".0.condition": "has its end where a ) is expected" }],
  ["a quote that is never closed", [given("{a} == 'x")], { ".0.condition": "has a ' that is never closed" }],
  ["a sign that means nothing", [given("{a} % 2 == 0")], { ".0.condition": "has %, which means nothing here" }],
  ["parentheses without end", [given(`${"(".repeat(50)}{a} > 1${")".repeat(50)}`)], {
    ".0.condition": "is nested deeper than 10 levels",
  }],
  ["a record step without its action", [record({})], { ".0.action": "is not included in the list" }],
  ["a create without data", [record({ action: "create" })], { ".0.data": "can't be blank" }],
  ["an upsert that finds nothing", [record({ action: "upsert", match: {}, data: {} })], {
    ".0.match": "can't be blank",
  }],
  ["a delete of nothing", [record({ action: "delete" })], {
    ".0.record_id": "can't be blank, unless match is given",
  }],
  ["a get of two", [record({ action: "get", record_id: "{id}", match: { a: 1 } })], {
    ".0.match": "cannot stand beside record_id",
  }],
  ["an id that is none", [record({ action: "get", record_id: "7" })], { ".0.record_id": "is not the id of a record" }],
  ["a list with data", [record({ action: "list", data: {} })], { ".0.data": "is not used by list" }],
  ["a list of 501", [record({ action: "list", limit: 501 })], { ".0.limit": "must be at most 500" }],
  ["data that is a text", [record({ action: "create", data: "x {a}" })], {
    ".0.data": "must be one placeholder, such as {item}",
  }],
  ["a loop over a number", [{ type: "for_each", items: 5, steps: [] }], { ".0.items": "must be an array" }],
  ["a loop without steps", [{ type: "for_each", items: "{a}" }], { ".0.steps": "can't be blank" }],
  ["a loop that names its item index", [{ type: "for_each", items: "{a}", as: "index", steps: [] }], {
    ".0.as": "is the name of the place in the list",
  }],
  ["a header that the server sets", [call({ headers: { Host: "x" } })], { ".0.headers.Host": "is set by the server" }],
  ["ids that no user and no department can have", [
    { type: "approval", question: "Pay?", users: [1, 2_147_483_648], departments: [9_007_199_254_740_991] },
  ], {
    ".0.users.1": "must be at most 2147483647",
    ".0.departments.0": "must be at most 2147483647",
  }],
  ["eleven levels", nested(11), {
    [".0.then".repeat(10) + ".0"]: "is nested too deep (maximum is 10 levels of steps)",
  }],
  ["1,001 steps", Array(1001).fill(mutation({})), { "": "is too long (maximum is 1000 steps)" }],
  ["more than 256 KiB", [mutation({ a: "ż".repeat(131_072) })], {
    "": "is too long (maximum is 262144 bytes of JSON)",
  }],
];

inAccount("flows: programs that are refused", async ({ play }) => {
  await play(WRONG.map(([name, program, faults]): Scenario => ({
    name,
    method: "POST",
    path: "/connect/flows.json",
    sent: { json: { flow: { name: "Wrong", fields: { program } } } },
    status: 422,
    body: Object.fromEntries(
      Object.entries(faults).map(([path, message]) => [`fields.program${path}`, [message]]),
    ),
  })));
});

inAccount("flows: programs at the limits are taken", async ({ play }) => {
  const rows: [name: string, program: Program][] = [
    ["none", []],
    ["ten levels", nested(10)],
    ["1,000 steps", Array(1000).fill(mutation({}))],
    ["262,144 bytes", [mutation({ a: "x".repeat(262_144 - JSON.stringify([mutation({ a: "" })]).length) })]],
    ["names one after the other", [mutation(Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`n${at}`, at === 0 ? 1 : `{n${at - 1}}`]),
    ))]],
  ];
  await play(rows.map(([name, program], at): Scenario => ({
    name,
    method: "POST",
    path: "/connect/flows.json",
    sent: { json: { flow: { name: `Right ${at}`, fields: { program } } } },
    status: 201,
    body: { version: 1 },
  })));
});
