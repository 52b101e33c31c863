/** Fields of departments and their rules. The other files of this folder test assignments, the main one and logos. */
import assert from "node:assert/strict";
import { addAccount, addPerson, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/departments.json";
const at = (id: number | string) => `/account/departments/${id}.json`;
const json = (department: Record<string, unknown>) => ({ json: { department } });

async function create(ask: Ask, department: Record<string, unknown>, token?: string) {
  return made(await ask("POST", ALL, { ...json(department), token }));
}

/** Source: spec, "Department". */
const LINES = [
  "shortcut",
  "phone",
  "company_name",
  "company_tax_no",
  "company_street",
  "company_street_number",
  "company_post_code",
  "company_city",
  "company_country",
  "company_phone",
  "company_bank",
  "company_bank_account",
];
const EMAILS = ["email", "company_email"];
const ADDRESSES = ["company_website", "company_logo"];
const TEXTS = [...LINES, "description", ...EMAILS, ...ADDRESSES];

const FULL = {
  name: "Sales",
  shortcut: "SA",
  description: "Sells.\nEverything – «słowo» 👩‍👩‍👧",
  phone: "+48 22 123 45 67",
  email: "sales@example.com",
  company_name: "Example & Sons <Ltd>",
  company_tax_no: "PL1234567890",
  company_street: "Prosta",
  company_street_number: "7/2a",
  company_post_code: "00-001",
  company_city: "Łódź",
  company_country: "Polska",
  company_email: "office@example.com",
  company_phone: "123",
  company_website: "https://example.com/o-nas?x=1#y",
  company_bank: "Bank",
  company_bank_account: "PL61 1090 1014 0000 0712 1981 2874",
  company_logo: "https://example.com/logo.png",
};

inAccount("departments: create", async ({ ask, play }) => {
  await play([
    {
      name: "create: 201 with the whole department, not wrapped; omitted fields are null, id lists are empty",
      method: "POST",
      path: ALL,
      sent: json({ name: "Support" }),
      status: 201,
      body: {
        name: "Support",
        ...Object.fromEntries(TEXTS.map((field) => [field, null])),
        user_setting_ids: [],
        mailbox_ids: [],
        logo_url: null,
        main: true,
        lock_version: 0,
        created_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/,
        updated_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/,
      },
      then({ body }) {
        assert.ok(Number.isInteger(body.id));
        const keys = ["id", "name", ...TEXTS, "user_setting_ids", "mailbox_ids", "logo_url", "main", "lock_version"];
        assert.deepEqual(Object.keys(body).sort(), [...keys, "created_at", "updated_at"].sort());
      },
    },
    {
      name: "create: every field comes back as sent",
      method: "POST",
      path: ALL,
      sent: json(FULL),
      status: 201,
      body: FULL,
    },
    {
      name: "create: the content type of the specification's header table is taken",
      method: "POST",
      path: ALL,
      sent: { ...json({ name: "Charset" }), headers: { "content-type": "application/json; charset=utf-8" } },
      status: 201,
    },
    {
      name: "create: unknown keys and read-only fields are ignored",
      method: "POST",
      path: ALL,
      sent: json({
        name: "Unknown keys",
        id: 4711,
        main: true,
        lock_version: 7,
        account_id: 99,
        created_at: "2001-01-01T00:00:00.000+00:00",
        logo_url: "https://evil.test/x.png",
        nonsense: [{}],
        constructor: 1,
      }),
      status: 201,
      body: { main: false, lock_version: 0, logo_url: null, created_at: /^20(?!01)/ },
      then: ({ body }) => assert.notEqual(body.id, 4711),
    },
    {
      name: "create: __proto__ in the body is one more unknown key",
      method: "POST",
      path: ALL,
      sent: {
        raw: '{"department":{"name":"Proto","__proto__":{"phone":"1"}},"__proto__":{"polluted":true}}',
        headers: { "content-type": "application/json" },
      },
      status: 201,
      body: { name: "Proto", phone: null },
      then: () => assert.equal(Reflect.get({}, "polluted"), undefined),
    },
  ]);

  const blank = (name: string, department: Record<string, unknown>): Scenario => ({
    name,
    method: "POST",
    path: ALL,
    sent: json(department),
    status: 422,
    body: { name: ["can't be blank"] },
  });
  await play([
    blank("name: missing is blank", {}),
    blank("name: null is blank", { name: null }),
    blank("name: an empty one is blank", { name: "" }),
    blank("name: only white space is blank", { name: " \t\n\u00a0\u2003 " }),
    {
      name: "name: trimmed",
      method: "POST",
      path: ALL,
      sent: json({ name: "  Trimmed name\n" }),
      status: 201,
      body: { name: "Trimmed name" },
    },
    {
      name: "name: no text is refused",
      method: "POST",
      path: ALL,
      sent: json({ name: 12 }),
      status: 422,
      body: { name: /string/ },
    },
    {
      name: "name: 255 characters are taken, counted as a person counts them",
      method: "POST",
      path: ALL,
      sent: json({ name: "😀".repeat(255) }),
      status: 201,
    },
    {
      name: "name: 256 characters are too long",
      method: "POST",
      path: ALL,
      sent: json({ name: "x".repeat(256) }),
      status: 422,
      body: { name: ["is too long (maximum is 255 characters)"] },
    },
    {
      name: "several faults are reported together",
      method: "POST",
      path: ALL,
      sent: json({ name: "", email: "nobody", company_website: "ftp://x.test", phone: 5 }),
      status: 422,
      body: { name: ["can't be blank"], email: /./, company_website: /./, phone: /string/ },
    },
  ]);
  const before = (await ask("GET", ALL)).body.length;
  await ask("POST", ALL, json({ name: "Half", email: "nobody" }));
  assert.equal((await ask("GET", ALL)).body.length, before, "a refused department is not made");
});

inAccount("departments: every optional field", async ({ ask, play }) => {
  const { id } = await create(ask, { ...FULL, name: "Fields" });
  const row = (name: string, field: string, value: unknown, status: 200 | 422): Scenario => ({
    name: `${field}: ${name}`,
    method: "PATCH",
    path: at(id),
    sent: json({ [field]: value }),
    status,
    body: status === 200 ? { [field]: value, name: "Fields" } : { [field]: /./ },
  });
  await inTurn(TEXTS, (field) =>
    play([
      row("null clears it", field, null, 200),
      row("a number is no text", field, 7, 422),
      row("an object is no text", field, { a: 1 }, 422),
      row("NUL is refused", field, "https://a@b.test/\0", 422),
      row("half of a surrogate pair is refused", field, "https://a@b.test/\ud800", 422),
      row("a megabyte is refused", field, `https://a@b.test/${"x".repeat(1_000_000)}`, 422),
    ]));
  await play([
    ...LINES.map((field) =>
      row("255 characters of any alphabet", field, `ąß中😀'"\\<>&%_`.repeat(30).slice(0, 200), 200)
    ),
    ...EMAILS.flatMap((field) => [
      row("an address", field, "jan.kowalski+tag@mail.example.co.uk", 200),
      row("blank is allowed", field, "", 200),
      ...["nobody", "@x.test", "a@", "a b@x.test", "a@b@c.test"].map((value) =>
        row(`${value} is no e-mail`, field, value, 422)
      ),
    ]),
    ...ADDRESSES.flatMap((field) => [
      row("http", field, "http://example.com", 200),
      row("https with everything", field, "https://przykład.test:8443/a/b?c=d#e", 200),
      row("blank is allowed", field, "", 200),
      ...["example.com", "ftp://x.test/a", "javascript:alert(1)", "data:text/html,x", "http://", "https:// x.test"].map(
        (
          value,
        ) => row(`${value} is no http(s) address`, field, value, 422),
      ),
    ]),
  ]);
});

inAccount("departments: name is unique within the account, without regard to case", async ({ server, ask, play }) => {
  const { id } = await create(ask, { name: "Sales" });
  await create(ask, { name: "Łódź ÀÉÎ Ελλάδα ЖЫ" });
  await create(ask, { name: "ΟΔΟΣ" });
  const stranger = await addAccount(server);
  const taken = (name: string, given: string): Scenario => ({
    name,
    method: "POST",
    path: ALL,
    sent: json({ name: given }),
    status: 422,
    body: { name: ["has already been taken"] },
  });
  await play([
    taken("create: the same name", "Sales"),
    taken("create: another case", "sALES"),
    taken("create: before it is trimmed", "  sales "),
    taken("create: another case beyond ASCII", "łÓDŹ àéî ΕΛΛΆΔΑ жы"),
    taken("create: a sigma at the end", "οδος"),
    taken("create: the other sigma at the end", "οδοσ"),
    {
      name: "create: another account may use the name",
      method: "POST",
      path: ALL,
      sent: { ...json({ name: "Sales" }), token: stranger.token },
      status: 201,
    },
  ]);
  const other = await create(ask, { name: "Other" });
  await play([
    {
      name: "update: a taken name is refused",
      method: "PATCH",
      path: at(other.id),
      sent: json({ name: "SALES", phone: "1" }),
      status: 422,
      body: { name: ["has already been taken"] },
    },
    { name: "update: and nothing else is changed", method: "GET", path: at(other.id), status: 200, body: other },
    {
      name: "update: its own name in another case is free",
      method: "PATCH",
      path: at(id),
      sent: json({ name: "SALES" }),
      status: 200,
      body: { name: "SALES" },
    },
    { name: "delete frees the name", method: "DELETE", path: at(id), status: 204 },
    { name: "create: a freed name is free", method: "POST", path: ALL, sent: json({ name: "sales" }), status: 201 },
  ]);
});

inAccount("departments: read, update, delete", async ({ server, ask, play }) => {
  const department = await create(ask, FULL);
  const stranger = await addAccount(server);
  const foreign = await create(ask, { name: "Foreign" }, stranger.token);
  const guest = await addPerson(ask, "guest");
  await play([
    { name: "read: the whole department", method: "GET", path: at(department.id), status: 200, body: department },
    {
      name: "read: a content type without a body does no harm",
      method: "GET",
      path: at(department.id),
      sent: { headers: { "content-type": "application/json; charset=utf-8" } },
      status: 200,
    },
    ...["999999", "0", "-1", "1.5", "abc", "2147483648", "99999999999999999999", "%00", "1%2f", "null", "1e0", "%D9%A1"]
      .map((id): Scenario => ({ name: `read: ${id} does not exist`, method: "GET", path: at(id), status: 404 })),
    { name: "read: another account's is a missing one", method: "GET", path: at(foreign.id), status: 404 },
    {
      name: "update: another account's is a missing one",
      method: "PATCH",
      path: at(foreign.id),
      sent: json({ name: "Mine" }),
      status: 404,
    },
    { name: "delete: another account's is a missing one", method: "DELETE", path: at(foreign.id), status: 404 },
    {
      name: "another account's is untouched",
      method: "GET",
      path: at(foreign.id),
      sent: { token: stranger.token },
      status: 200,
      body: foreign,
    },
    {
      name: "update: only the sent fields change",
      method: "PATCH",
      path: at(department.id),
      sent: json({ phone: "99" }),
      status: 200,
      body: { ...FULL, phone: "99", lock_version: 1, created_at: department.created_at, main: true },
      then: ({ body }) => assert.ok(body.updated_at >= department.updated_at),
    },
    {
      name: "update: nothing sent, nothing changed",
      method: "PATCH",
      path: at(department.id),
      sent: json({}),
      status: 200,
      body: { ...FULL, phone: "99" },
    },
    ...[null, "", "  "].map((name): Scenario => ({
      name: `update: a name of ${JSON.stringify(name)} is blank`,
      method: "PATCH",
      path: at(department.id),
      sent: json({ name }),
      status: 422,
      body: { name: ["can't be blank"] },
    })),
    {
      name: "update: a missing one is 404",
      method: "PATCH",
      path: at(999_999),
      sent: json({ name: "x" }),
      status: 404,
    },
    {
      name: "delete: not for a guest",
      method: "DELETE",
      path: at(department.id),
      sent: { token: guest.token },
      status: 403,
    },
    {
      name: "delete: 204 and empty",
      method: "DELETE",
      path: at(department.id),
      status: 204,
      headers: { "content-type": null },
    },
    { name: "delete: the second time it is missing", method: "DELETE", path: at(department.id), status: 404 },
    { name: "read: a deleted one is missing", method: "GET", path: at(department.id), status: 404 },
  ]);
});

inAccount("departments: lock_version", async ({ ask, admin, play }) => {
  const { id } = await create(ask, { name: "Edited" });
  const update = (name: string, department: Record<string, unknown>, rest: Partial<Scenario>): Scenario => ({
    name,
    method: "PATCH",
    path: at(id),
    sent: json(department),
    status: 200,
    ...rest,
  });
  await play([
    update("the present one is taken and counts up", { phone: "1", lock_version: 0 }, { body: { lock_version: 1 } }),
    update("a stale one is 409 with the current object", { phone: "2", lock_version: 0 }, {
      status: 409,
      body: { current: { id, name: "Edited", phone: "1", lock_version: 1 } },
    }),
    update("one from the future is as stale", { phone: "2", lock_version: 9 }, { status: 409 }),
    update("a stale one does not assign either", { user_setting_ids: [admin.id], lock_version: 0 }, { status: 409 }),
    update("none wins", { phone: "3" }, { body: { phone: "3", lock_version: 2, user_setting_ids: [] } }),
    update("an assignment counts up as well", { user_setting_ids: [admin.id], lock_version: 2 }, {
      body: { lock_version: 3, user_setting_ids: [admin.id] },
    }),
    update("no number", { lock_version: "3" }, { status: 422, body: { lock_version: /number/ } }),
    update("below zero", { lock_version: -1 }, { status: 422, body: { lock_version: /./ } }),
    update("beyond its column", { lock_version: 2 ** 31 }, {
      status: 422,
      body: { lock_version: /must be at most 2147483647/ },
    }),
    update("beyond what a number holds", { lock_version: 2 ** 60 }, { status: 422, body: { lock_version: /./ } }),
  ]);
  const current = (await ask("PATCH", at(id), json({ lock_version: 0 }))).body.current;
  assert.deepEqual(current, (await ask("GET", at(id))).body, "`current` is the whole object");
});
