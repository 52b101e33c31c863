import assert from "node:assert/strict";
import { warningsOfSecrets } from "./suspected_secrets.ts";

const random = (length: number) => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC".repeat(8).slice(0, length);

const SECRETS: [what: string, source: string][] = [
  ["a Stripe secret key", `const stripe = Stripe("sk_live_${random(24)}");`],
  ["a GitHub token", `fetch(url, { headers: { authorization: "token ghp_${random(36)}" } })`],
  ["a GitHub token", `\tkey=github_pat_${random(40)}`],
  ["an AWS access key", `id: 'AKIAIOSFODNN7EXAMPLE',`],
  ["a Slack token", "`xoxb-123456789012-abcdefghij`"],
  ["a key of an AI service", `"sk-proj-${random(40)}"`],
  ["an API token of this server", `Bearer atr_${random(43)}`],
  ["a signed token (JWT)", `"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${random(43)}"`],
  ["a private key", "-----BEGIN RSA PRIVATE KEY-----"],
  ["a password in an address", `"postgres://admin:hunter2hunter2@db.example.com/app"`],
  ["a secret", `let API_KEY = "${random(32)}";`],
  ["a secret", `{"client_secret": "550e8400-e29b-41d4-a716-446655440000"}`],
  ["a secret", `password='9f86d081884c7d659a2feaa0c55ad015'`],
];

Deno.test("suspected secrets: each kind, with its place and without its text", () => {
  for (const [what, line] of SECRETS) {
    const [warning, ...more] = warningsOfSecrets(`<p>ż</p>\n${line}\n`);
    assert.match(warning ?? "", /^2:\d+ this looks like [^"]+ connector instead$/, line);
    assert.ok(warning?.includes(`${what},`), `${line}: ${warning}`);
    assert.deepEqual(more, [], line);
    for (const token of line.match(/[\w-]{16,}/g) ?? []) assert.ok(!warning?.includes(token), line);
  }
  const twice = warningsOfSecrets(`\n  "sk_live_${random(24)}" "ghp_${random(36)}"`);
  assert.deepEqual(twice.map((warning) => warning.slice(0, 4)), ["2:4 ", "2:39"]);
  assert.equal(warningsOfSecrets(`"sk_live_${random(24)}";\n`.repeat(50)).length, 10);
});

Deno.test("suspected secrets: what pages contain anyway is none", () => {
  for (
    const source of [
      `const key = "pk_live_${random(24)}"; const map = "AIza${random(35)}";`,
      `<input type="password" name="password" placeholder="At least 16 characters">`,
      `token: "design-token-blue-500", secret: "secret_santa_list_2024"`,
      `const token = context.user.token; const password = "correct-horse-battery-staple";`,
      `let api_key = ""; const apiKey = "YOUR_API_KEY_GOES_HERE"; apiKey = "xxxxxxxxxxxxxxxxxxxxxx";`,
      `token: "var(--color-primary-600)", passwordLabel: "account.settings.password2.label"`,
      `<a href="https://example.com/user:name@place">x</a> <img src="data:image/png;base64,${random(80)}">`,
      `import x from "https://esm.sh/react@19.3.1"; const url = "http://localhost:8000/a/0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55";`,
      `sk-skeleton-loader-animation sk_live_ ghp_ AKIA xoxb- eyJ`,
      `const secretHandshakeAnimationName = "fadeInOutVerySlowly1";`,
    ]
  ) assert.deepEqual(warningsOfSecrets(source), [], source);
});

Deno.test("suspected secrets: hostile sources take linear time", () => {
  for (
    const piece of [
      "eyJ-",
      "eyJaaaaaaaa.",
      "://a:",
      "token=",
      "token = '",
      "sk-",
      "-----BEGIN A ",
      "a.",
      "secretsecret='a",
    ]
  ) {
    warningsOfSecrets(piece.repeat(200_000 / piece.length));
  }
});
