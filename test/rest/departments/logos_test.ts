/** Uploaded logos. Source: spec, "Rules for the logo". */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { TestServer } from "../../stage/harness.ts";
import { GIF, JPEG, largePng, PNG, SVG, WEBP } from "../../stage/images.ts";
import { addPerson, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/departments.json";
const at = (id: number) => `/account/departments/${id}.json`;
const MiB = 1024 * 1024;

/** @param fields keyed by the name inside `department[…]` */
function form(fields: Record<string, string | Blob | Uint8Array<ArrayBuffer>>): { form: FormData } {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) {
    const name = field.endsWith("[]") ? `department[${field.slice(0, -2)}][]` : `department[${field}]`;
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value instanceof Blob ? value : new Blob([value], { type: "image/png" }), "logo.png");
  }
  return { form };
}

const create = async (ask: Ask, fields: Parameters<typeof form>[0]) => made(await ask("POST", ALL, form(fields)));

/** Fetches a logo without a token, as a mail program does. */
async function fetchLogo({ handler, base_url }: TestServer, url: string, init: RequestInit = {}) {
  assert.ok(url.startsWith(`${base_url}/`), `${url} is not absolute`);
  const response = await handler(new Request(url, init));
  return { status: response.status, headers: response.headers, bytes: await response.bytes() };
}

async function holds(server: TestServer, url: string, bytes: Uint8Array): Promise<void> {
  const logo = await fetchLogo(server, url);
  assert.equal(logo.status, 200);
  assert.ok(Buffer.from(bytes).equals(logo.bytes), "byte for byte");
}

inAccount("logos: upload with create", async ({ server, ask, play }) => {
  const person = await addPerson(ask, "user");
  await play([
    {
      name: "create: a form carries fields, ids and the file",
      method: "POST",
      path: ALL,
      sent: form({
        name: " Zażółć ",
        description: "Ships «everything»",
        company_logo: "https://example.com/old.png",
        "user_setting_ids[]": `${person.id}`,
        logo: PNG,
      }),
      status: 201,
      body: {
        name: "Zażółć",
        description: "Ships «everything»",
        company_logo: "https://example.com/old.png",
        user_setting_ids: [person.id],
        mailbox_ids: [],
        logo_url: /^http:\/\/atrium\.test\/\S+$/,
        main: true,
        lock_version: 0,
      },
      then: ({ body }) => holds(server, body.logo_url, PNG),
    },
    {
      name: "create: a form without a file",
      method: "POST",
      path: ALL,
      sent: form({ name: "No file" }),
      status: 201,
      body: { name: "No file", logo_url: null },
    },
    {
      name: "create: a form's faults are named as JSON's are",
      method: "POST",
      path: ALL,
      sent: form({ name: "", email: "nobody", "user_setting_ids[]": "x", logo: PNG }),
      status: 422,
      body: { name: ["can't be blank"], email: /./, "user_setting_ids.0": /number/ },
    },
  ]);
});

inAccount("logos: kinds and sizes", async ({ server, ask, play }) => {
  const { id } = await create(ask, { name: "Logo" });
  const kept = (name: string, logo: Uint8Array<ArrayBuffer> | Blob, type: string): Scenario => ({
    name,
    method: "PATCH",
    path: at(id),
    sent: form({ logo }),
    status: 200,
    async then({ body }) {
      const sent = logo instanceof Blob ? await logo.bytes() : logo;
      const answer = await fetchLogo(server, body.logo_url);
      assert.equal(answer.headers.get("content-type"), type);
      assert.ok(Buffer.from(sent).equals(answer.bytes), "byte for byte");
    },
  });
  await play([
    kept("PNG", PNG, "image/png"),
    kept("JPEG", JPEG, "image/jpeg"),
    kept("GIF", GIF, "image/gif"),
    kept("WebP", WEBP, "image/webp"),
    kept("the content decides, not what the form calls it", new Blob([GIF], { type: "text/html" }), "image/gif"),
    kept("5 MiB to the byte", largePng(5 * MiB), "image/png"),
  ]);
  const { body: before } = await ask("GET", at(id));
  const refused = (name: string, logo: string | Blob | Uint8Array<ArrayBuffer>): Scenario => ({
    name,
    method: "PATCH",
    path: at(id),
    sent: form({ phone: "1", logo }),
    status: 422,
    body: { logo: /./ },
  });
  await play([
    refused("one byte more than 5 MiB", largePng(5 * MiB + 1)),
    refused("SVG, whatever it is called", new Blob([SVG], { type: "image/png" })),
    refused(
      "HTML, whatever it is called",
      new Blob(["<!doctype html><script>alert(1)</script>"], { type: "image/png" }),
    ),
    refused("a BMP", new Blob(["BM\0\0\0\0\0\0\0\0"], { type: "image/bmp" })),
    refused("RIFF that is no WebP", new Blob(["RIFF\x24\0\0\0WAVEfmt "], { type: "image/webp" })),
    refused("the beginning of a signature", PNG.slice(0, 5)),
    refused("a signature in the wrong place", new Blob(["xx", PNG])),
    refused("an empty file", new Uint8Array(0)),
    refused("a text where the file belongs", "https://example.com/logo.png"),
    {
      name: "more than 6 MiB is 413",
      method: "PATCH",
      path: at(id),
      sent: form({ logo: largePng(6 * MiB) }),
      status: 413,
    },
    { name: "a refusal changes nothing", method: "GET", path: at(id), status: 200, body: before },
  ]);
});

inAccount("logos: replace, remove, and the permanent address", async ({ server, ask, play }) => {
  const first = await create(ask, { name: "Logo", logo: PNG });
  const path = at(first.id);
  const other = await create(ask, { name: "Same logo", logo: PNG });
  assert.equal(other.logo_url, first.logo_url, "the address comes from the content");
  await play([
    {
      name: "JSON changes leave the logo as it is",
      method: "PATCH",
      path,
      sent: { json: { department: { phone: "1", company_logo: "https://example.com/a.png" } } },
      status: 200,
      body: { logo_url: first.logo_url, company_logo: "https://example.com/a.png" },
    },
    {
      name: "replace: a new content has a new address",
      method: "PATCH",
      path,
      sent: form({ logo: GIF }),
      status: 200,
      body: { phone: "1", lock_version: 2 },
      async then({ body }) {
        assert.notEqual(body.logo_url, first.logo_url);
        await holds(server, body.logo_url, GIF);
        await holds(server, first.logo_url, PNG);
      },
    },
    {
      name: "lock_version counts in a form as well",
      method: "PATCH",
      path,
      sent: form({ logo: JPEG, lock_version: "0" }),
      status: 409,
      body: { current: { lock_version: 2 } },
    },
    ...["0", "true", "", "11", " 1"].map((logo_remove): Scenario => ({
      name: `logo_remove: ${JSON.stringify(logo_remove)} is not 1`,
      method: "PATCH",
      path,
      sent: form({ logo_remove }),
      status: 422,
      body: { logo_remove: /./ },
    })),
    ...[{ logo: "x" }, { logo: null }, { logo_remove: "1" }, { logo_remove: 1 }, { phone: "2", logo: "x" }].map((
      department,
    ): Scenario => ({
      name: `JSON with ${JSON.stringify(department)} is 415`,
      method: "PATCH",
      path,
      sent: { json: { department } },
      status: 415,
    })),
    {
      name: "create: JSON with a logo is 415, too",
      method: "POST",
      path: ALL,
      sent: { json: { department: { name: "New", logo: "aGk=" } } },
      status: 415,
    },
    {
      name: "the refused requests changed nothing",
      method: "GET",
      path,
      status: 200,
      body: { phone: "1", lock_version: 2, logo_url: /\.gif$|\w{20}/ },
    },
    {
      name: "logo_remove: 1 removes it, together with other changes",
      method: "PATCH",
      path,
      sent: form({ logo_remove: "1", phone: "3" }),
      status: 200,
      body: { logo_url: null, phone: "3", company_logo: "https://example.com/a.png", lock_version: 3 },
    },
    {
      name: "logo_remove: without a logo it does no harm",
      method: "PATCH",
      path,
      sent: form({ logo_remove: "1" }),
      status: 200,
      body: { logo_url: null },
    },
    { name: "the department goes", method: "DELETE", path, status: 204 },
    { name: "the other one goes", method: "DELETE", path: at(other.id), status: 204 },
  ]);
  await holds(server, first.logo_url, PNG);
});

inAccount("logos: as caches, mail programs and browsers see them", async ({ server, ask }) => {
  const { logo_url } = await create(ask, { name: "Logo", logo: PNG });
  const { status, headers } = await fetchLogo(server, logo_url);
  assert.equal(status, 200);
  assert.match(headers.get("cache-control") ?? "", /^public, max-age=31536000, immutable/);
  assert.match(headers.get("etag") ?? "", /^"[^"]+"$/, "a strong ETag");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("set-cookie"), null);
  assert.ok(headers.get("x-request-id"));

  const etag = headers.get("etag") ?? "";
  await inTurn([etag, `"other", ${etag}`, `W/${etag}`, "*"], async (given) => {
    const again = await fetchLogo(server, logo_url, { headers: { "if-none-match": given } });
    assert.equal(again.status, 304, given);
    assert.equal(again.bytes.length, 0);
    assert.equal(again.headers.get("etag"), etag);
    assert.match(again.headers.get("cache-control") ?? "", /immutable/);
  });
  const changed = await fetchLogo(server, logo_url, { headers: { "if-none-match": '"other"' } });
  assert.equal(changed.status, 200);

  const head = await fetchLogo(server, logo_url, { method: "HEAD" });
  assert.deepEqual([head.status, head.bytes.length, head.headers.get("etag")], [200, 0, etag]);

  const path = new URL(logo_url).pathname;
  const compressed = await fetchLogo(server, logo_url, { headers: { "accept-encoding": "gzip, br" } });
  assert.ok(Buffer.from(PNG).equals(compressed.bytes), "an image is not compressed again");
  assert.equal((await ask("POST", path, { token: null })).status, 405);
  const missing = path.replace(/[0-9a-f]{8}/, "00000000");
  await inTurn([missing, `${path}x`, path.replace(/\/(?=[^/]*$)/, "/..%2f"), `${path}%00`], async (address) => {
    assert.equal((await ask("GET", address, { token: null })).status, 404, address);
  });
});

inAccount("logos: over the wire", async ({ server, ask }) => {
  const { logo_url } = await create(ask, { name: "Logo", logo: largePng(300_000) });
  const response = await fetch(server.listen() + new URL(logo_url).pathname);
  assert.equal(response.headers.get("content-length"), "300000");
  assert.ok(Buffer.from(largePng(300_000)).equals(await response.bytes()));
});
