/** Mail footers of departments. */
import assert from "node:assert/strict";
import { PNG } from "../../stage/images.ts";
import { addAccount, addPerson, addSession, addToken, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/departments.json";
const at = (id: number | string, kind = "html") => `/account/departments/${id}/footer.${kind}`;

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='x'>`;

inAccount(
  "footer: a table with the logo and what the department has, escaped, without empty lines",
  async ({ ask }) => {
    const create = async (department: Record<string, unknown>): Promise<number> =>
      made(await ask("POST", ALL, { json: { department } })).id;
    const read = async (id: number, query = "", kind = "html"): Promise<string> => {
      const { status, body } = await ask("GET", at(id, kind) + query);
      assert.equal(status, 200);
      return body;
    };
    const full = await create({
      name: "Sales & Service",
      phone: "+48 22 000-00-10",
      email: "o'sales@example.com",
      company_name: "Example\nLtd",
      company_street: "Long Street",
      company_street_number: "12A",
      company_post_code: "00-001",
      company_city: "Łódź",
      company_country: "Poland",
      company_phone: "+48 22 000-00-10",
      company_email: "office@example.com",
      company_website: "https://example.com/",
      company_logo: "https://cdn.example.com/logo.png?a=1&b=2",
      company_bank_account: "not shown",
    });
    const html = await read(full);
    assert.match(html, /^<table role="presentation"[^]*<\/table>\n$/);
    assert.match(html, /<img src="https:\/\/cdn.example.com\/logo.png\?a=1&amp;b=2" width="160" alt="Example Ltd"/);
    assert.match(
      html,
      /<strong>Sales &amp; Service<\/strong><br>\nExample Ltd<br>\nLong Street 12A<br>\n00-001 Łódź, Poland/,
    );
    assert.match(html, /<a href="mailto:o&#39;sales@example.com" [^>]*>o&#39;sales@example.com<\/a>/);
    assert.match(html, /<a href="https:\/\/example.com\/" [^>]*>example.com<\/a>/);
    assert.equal(html.split("tel:+48220000010").length, 2, "the phone that is also the company's stands there once");
    assert.doesNotMatch(html, /class=|<style|<link|not shown/);
    assert.equal(
      await read(full, "", "txt"),
      "-- \nSales & Service\nExample Ltd\nLong Street 12A\n00-001 Łódź, Poland\n+48 22 000-00-10\n" +
        "o'sales@example.com\noffice@example.com\nexample.com\n",
    );
    assert.match(await read(full, "?width=600"), / width="600" [^>]*width:600px/);

    const bare = await create({ name: "Bare", company_name: "", company_country: "  ", company_email: "" });
    const bare_html = await read(bare);
    assert.doesNotMatch(bare_html, /<img|<br>|<a /);
    assert.equal(await read(bare, "", "txt"), "-- \nBare\n");

    const words = "word ".repeat(30).trim();
    const hostile = await create({
      name: HOSTILE,
      company_name: words,
      company_street: `${HOSTILE}\u202e`,
      phone: HOSTILE,
      company_phone: "j".repeat(200),
      company_website: `https://example.com/${HOSTILE.replaceAll(/\s/g, "")}`,
      company_logo: `https://a;script-src.example.com/${HOSTILE.replaceAll(/\s/g, "")}`,
    });
    const answer = await ask("GET", at(hostile));
    const tags = [...answer.body.matchAll(/<(\/?\w+)/g)].map(([, tag]: string[]) => tag);
    assert.deepEqual(
      new Set(tags),
      new Set(["table", "tr", "td", "img", "strong", "br", "a", "/a", "/strong", "/td", "/tr", "/table"]),
    );
    assert.match(
      answer.headers.get("content-security-policy") ?? "",
      /img-src 'none';/,
      "a host that would end a directive",
    );
    const lines = (await read(hostile, "", "txt")).split("\n");
    assert.deepEqual(lines.filter((line) => line.length > 72 && line.includes(" ")), []);
    assert.ok(lines.includes("j".repeat(200)), "a long word is not broken");
  },
);

inAccount(
  "footer: the uploaded logo goes first; own policy, nosniff; width and callers are checked",
  async ({ ask, play, server }) => {
    const form = new FormData();
    form.append("department[name]", "Logo");
    form.append("department[company_logo]", "https://example.com/other.png");
    form.append("department[logo]", new Blob([PNG], { type: "image/png" }), "logo.png");
    const { id, logo_url } = made(await ask("POST", ALL, { form }));
    const { body } = await ask("GET", at(id));
    assert.ok(body.includes(`src="${logo_url}"`) && !body.includes("other.png"));
    const policy = /^default-src 'none'; img-src http:\/\/atrium\.test; style-src-attr 'unsafe-inline'; .*sandbox$/;
    const stranger = await addAccount(server);
    const manager = await addPerson(ask, "manager", { department_ids: [], without_department: false });
    const user = await addPerson(ask, "user");
    const limited = await addToken(ask, { scopes: ["apps:read"] });
    const { cookie } = await addSession(server, manager.id);
    const framed = {
      cookie,
      "sec-fetch-site": "same-origin",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "iframe",
    };
    await play([
      {
        name: "headers",
        method: "GET",
        path: at(id),
        status: 200,
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": policy,
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
        },
      },
      {
        name: "headers of the text",
        method: "GET",
        path: at(id, "txt"),
        status: 200,
        headers: {
          "content-type": "text/plain; charset=utf-8",
          "content-security-policy": /^default-src 'none'/,
          "x-content-type-options": "nosniff",
        },
      },
      ...["15", "601", "", "x", "160.5", "1e2", "-160"].map((width) => ({
        name: `width ${width} is 400`,
        method: "GET" as const,
        path: `${at(id)}?width=${width}`,
        status: 400,
        body: { error: /^width / },
      })),
      { name: "a manager reads it", method: "GET", path: at(id), sent: { token: manager.token }, status: 200 },
      { name: "in a frame, too", method: "GET", path: at(id), sent: { token: null, headers: framed }, status: 200 },
      { name: "a user does not", method: "GET", path: at(id), sent: { token: user.token }, status: 403 },
      { name: "nor a token of other scopes", method: "GET", path: at(id), sent: { token: limited }, status: 403 },
      { name: "nor a visitor", method: "GET", path: at(id), sent: { token: null }, status: 401 },
    ]);
    await inTurn([at(999_999), at("01"), at("x"), at("99999999999")], async (path) => {
      const missing = (await ask("GET", path)).body;
      assert.equal(missing.code, "not_found", path);
      assert.deepEqual((await ask("GET", at(id), { token: stranger.token })).body, missing, "another account's");
    });
  },
);
