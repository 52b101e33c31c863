import assert from "node:assert/strict";
import { type Config, ConfigError, readConfig } from "./config.ts";

const KEYS = "k1:0123456789abcdef";
const URL_OF_DATABASE = "postgres://atrium@db.example.com/atrium";
const OIDC = {
  OIDC_ISSUER: "https://login.example.com/realm/",
  OIDC_CLIENT_ID: "atrium",
  OIDC_CLIENT_SECRET: "hunter2",
};

function faultsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  throw new Error(`not refused: ${JSON.stringify(environment)}`);
}

Deno.test("config: an empty environment results in frozen defaults", () => {
  const config = readConfig({});
  assert.deepEqual(config, {
    port: 8000,
    host: "127.0.0.1",
    base_url: "http://127.0.0.1:8000",
    data_dir: ".data",
    database_url: undefined,
    kv_url: undefined,
    admin: { token: undefined, email: "admin@localhost", password: undefined },
    secret_keys: undefined,
    egress_allow: [],
    apps_origin: undefined,
    oidc: undefined,
    ai: undefined,
    trusted_proxies: 0,
    action_wait_ms: 10_000,
    smtp_url: undefined,
    mail_from: "Atrium <atrium@127.0.0.1>",
    workers: 1,
    process_number: undefined,
    child_environment: {},
    hosted: false,
    timeline: undefined,
    has_effects: true,
    has_traces: false,
    dev: false,
  });
  assert.ok(Object.isFrozen(config));
  assert.deepEqual(readConfig({ PORT: "", HOST: "", BASE_URL: "", DATABASE_URL: "", ADMIN_TOKEN: "" }), config);
});

Deno.test("config: each variable is read", () => {
  const rows: [environment: Record<string, string>, expected: Partial<Config>][] = [
    [{ PORT: "65535" }, { port: 65535, base_url: "http://127.0.0.1:65535" }],
    [{ HOST: "0.0.0.0" }, { base_url: "http://localhost:8000" }],
    [{ HOST: "::" }, { base_url: "http://localhost:8000" }],
    [{ HOST: "::1" }, { host: "::1", base_url: "http://[::1]:8000" }],
    [{ BASE_URL: "https://atrium.example.com//" }, { base_url: "https://atrium.example.com" }],
    [{ BASE_URL: "https://example.com/atrium/" }, { base_url: "https://example.com/atrium" }],
    [{ DATABASE_URL: URL_OF_DATABASE, SECRET_KEYS: KEYS }, { database_url: URL_OF_DATABASE }],
    ...[
      "postgres:///atrium?host=/run/postgresql",
      "postgres://me:a%2Fb,c@one:5432,two:5432/atrium?sslmode=require",
      "postgresql://localhost",
    ].map((url): [Record<string, string>, Partial<Config>] => [
      { DATABASE_URL: url, SECRET_KEYS: KEYS },
      { database_url: url },
    ]),
    [{ SECRET_KEYS: "k2:fedcba9876543210, k1:0123456789abcdef" }, {
      secret_keys: [{ id: "k2", material: "fedcba9876543210" }, { id: "k1", material: "0123456789abcdef" }],
    }],
    [{ SECRET_KEYS: "k1:with:colons:and=signs" }, { secret_keys: [{ id: "k1", material: "with:colons:and=signs" }] }],
    [{ ADMIN_TOKEN: "t", ADMIN_EMAIL: "a@b", ADMIN_PASSWORD: "12345678" }, {
      admin: { token: "t", email: "a@b", password: "12345678" },
    }],
    [{ EGRESS_ALLOW: "API.internal:8080, [::1]:80" }, { egress_allow: ["api.internal:8080", "[::1]:80"] }],
    [{ APPS_ORIGIN: "https://*.apps.example" }, { apps_origin: "https://*.apps.example" }],
    [{ APPS_ORIGIN: "https://Apps.example:443/" }, { apps_origin: "https://apps.example" }],
    [OIDC, {
      oidc: {
        issuer: "https://login.example.com/realm/",
        client_id: "atrium",
        client_secret: "hunter2",
        name: "login.example.com",
        role_claim: undefined,
      },
    }],
    [{ ...OIDC, OIDC_ISSUER: "http://127.0.0.1:9000", OIDC_NAME: "Example", OIDC_ROLE_CLAIM: "roles" }, {
      oidc: {
        issuer: "http://127.0.0.1:9000",
        client_id: "atrium",
        client_secret: "hunter2",
        name: "Example",
        role_claim: "roles",
      },
    }],
    [{ AI_URL: "http://10.0.0.1:11434/v1/", AI_MODEL: "m" }, {
      ai: { url: "http://10.0.0.1:11434/v1", model: "m", key: undefined },
    }],
    [{ AI_URL: "http://localhost:1/v1", AI_MODEL: "m", AI_KEY: "k" }, {
      ai: { url: "http://localhost:1/v1", model: "m", key: "k" },
    }],
    [{ TRUSTED_PROXIES: "2", ACTION_WAIT_MS: "0" }, { trusted_proxies: 2, action_wait_ms: 0 }],
  ];
  for (const [environment, expected] of rows) {
    const config = readConfig(environment);
    const keys = Object.keys(expected) as (keyof Config)[];
    assert.deepEqual(Object.fromEntries(keys.map((key) => [key, config[key]])), expected, JSON.stringify(environment));
  }
});

Deno.test("config: each wrong variable is one fault that names it, without its value", () => {
  const rows: [variable: string, values: string[]][] = [
    ["PORT", ["0", "65536", "-1", "8000.5", "http", "1e3"]],
    ["HOST", ["a b", "0.0.0.0:80", "localhost:80", "[::]:80", "http://localhost", "::g", "me@localhost"]],
    ["BASE_URL", [
      "example.com",
      "ftp://example.com",
      "https://example.com/?a=1",
      "https://example.com/#a",
      "javascript:1",
      " https://example.com",
      "https://example.com ",
      "https:example.com",
      "https://me:hunter2@example.com",
    ]],
    ["DATA_DIR", [" ", "~/atrium", "~", "file:///srv/atrium"]],
    ["DATABASE_URL", [
      "mysql://localhost",
      "localhost",
      "postgres:// localhost",
      "postgres://",
      "postgres://me:hunter2@localhost:99999/atrium",
      "postgres://me:hunter2%zz@localhost/atrium",
      "postgres://me:hunter2/x@localhost/atrium",
      "postgres://me:hunter2#@localhost/atrium",
    ]],
    ["KV_URL", [" "]],
    ["ADMIN_TOKEN", ["with space", "zażółć", "new\nline"]],
    ["ADMIN_EMAIL", ["nobody", "a b@c"]],
    ["ADMIN_PASSWORD", ["hunter2", "x".repeat(1025)]],
    ["SECRET_KEYS", [
      "0123456789abcdef0123",
      "k1:hunter2",
      `${KEYS},`,
      `${KEYS},k1:hunter2hunter2hunter2`,
      ":0123456789abcdef",
      "k 1:0123456789abcdef",
    ]],
    ["EGRESS_ALLOW", ["localhost", "http://localhost:80", "a:b", "a:1,,b:2", "a:65536"]],
    ["SMTP_URL", ["localhost:25", "smtp://", "smtp://me:hunter2%zz@localhost"]],
    ["APPS_ORIGIN", ["https://127.0.0.1:9000", "*.apps.example", "https://*.apps.example/x", "https://a.*.example"]],
    ["OIDC_ISSUER", [
      "login.example.com",
      "http://login.example.com",
      "http://127.0.0.1.example.com",
      "https://login.example.com/?a=hunter2",
      "https://login.example.com/#a",
    ]],
    ["OIDC_NAME", ["x".repeat(101)]],
    ["TRUSTED_PROXIES", ["11", "-1", "all"]],
    ["ACTION_WAIT_MS", ["600001", "10s"]],
  ];
  for (const [variable, values] of rows) {
    for (const value of values) {
      const faults = faultsOf({ SECRET_KEYS: KEYS, ...variable.startsWith("OIDC_") && OIDC, [variable]: value });
      assert.equal(faults.length, 1, `${variable}=${value}: ${faults}`);
      assert.ok(faults[0]?.startsWith(`${variable} must `), faults[0]);
      assert.ok(!faults[0]?.includes("hunter2"), faults[0]);
    }
  }
});

Deno.test("config: all faults are reported together, one line each", () => {
  const faults = faultsOf({ PORT: "x", ADMIN_PASSWORD: "short", DATABASE_URL: "x" });
  assert.deepEqual(faults.map((fault) => fault.split(" ")[0]), [
    "PORT",
    "DATABASE_URL",
    "ADMIN_PASSWORD",
    "SECRET_KEYS",
  ]);
  assert.equal(new ConfigError(faults).message.split("\n").length, 5);
});

Deno.test("config: SECRET_KEYS is required with DATABASE_URL", () => {
  assert.match(String(faultsOf({ DATABASE_URL: URL_OF_DATABASE })), /^SECRET_KEYS is required with DATABASE_URL/);
});

Deno.test("config: the assistant needs its address and its model, and a key is not sent in the clear", () => {
  const [AI_URL, AI_MODEL, AI_KEY] = ["http://models.example.com/v1", "m", "hunter2"];
  assert.match(String(faultsOf({ AI_KEY })), /^AI_URL is required/);
  assert.match(String(faultsOf({ AI_URL })), /^AI_MODEL is required/);
  assert.match(String(faultsOf({ AI_URL, AI_MODEL, AI_KEY })), /^AI_URL must be an https address(?!.*hunter2)/);
  assert.equal(faultsOf({ AI_URL: "models", AI_MODEL }).length, 1);
});

Deno.test("config: OpenID Connect needs its issuer and both parts of its client", () => {
  for (const missing of Object.keys(OIDC)) {
    assert.deepEqual(faultsOf({ ...OIDC, [missing]: "" }), [`${missing} is required for OpenID Connect`]);
  }
  assert.equal(faultsOf({ OIDC_NAME: "Example" }).length, 3);
});

Deno.test("config: child processes get the folders of Deno and no secret", () => {
  const environment = {
    HOME: "/root",
    DENO_DIR: "/deno",
    SECRET_KEYS: KEYS,
    ADMIN_TOKEN: "t",
    AWS_SECRET: "x",
    PATH: "/bin",
  };
  assert.deepEqual(readConfig(environment).child_environment, { HOME: "/root", DENO_DIR: "/deno" });
});

Deno.test("config: on Deno Deploy the database is the host's, and there must be one", () => {
  const hosted = { DENO_DEPLOY: "1", SECRET_KEYS: KEYS };
  assert.match(String(faultsOf(hosted)), /^DATABASE_URL is required here/);
  const linked = {
    PGHOST: "db",
    PGPORT: "6432",
    PGUSER: "me@org",
    PGPASSWORD: "p/w:d",
    PGDATABASE: "atrium",
    PGSSLMODE: "require",
  };
  const config = readConfig({ ...hosted, ...linked });
  assert.equal(config.hosted, true);
  assert.equal(config.database_url, "postgres://me%40org:p%2Fw%3Ad@db:6432/atrium?sslmode=require");
  assert.equal(readConfig({ ...hosted, ...linked, DATABASE_URL: URL_OF_DATABASE }).database_url, URL_OF_DATABASE);
  assert.equal(readConfig(linked).database_url, undefined, "elsewhere PG* variables are somebody else's");
});

Deno.test("config: on Deno Deploy the address follows the timeline, and only production has effects unless allowed", () => {
  const slugs = { DENO_DEPLOY_APPLICATION_SLUG: "atrium", DENO_DEPLOY_ORGANIZATION_SLUG: "acme" };
  const hosted = { DENO_DEPLOYMENT_ID: "1", DATABASE_URL: URL_OF_DATABASE, SECRET_KEYS: KEYS, ...slugs };
  const rows: [environment: Record<string, string>, base_url: string, has_effects: boolean][] = [
    [{}, "https://atrium.acme.deno.net", true],
    [{ DENO_TIMELINE: "production" }, "https://atrium.acme.deno.net", true],
    [{ DENO_TIMELINE: "git-branch/Fix/it" }, "https://atrium--fix-it.acme.deno.net", false],
    [{ DENO_TIMELINE: "preview/x1y2" }, "https://atrium-x1y2.acme.deno.net", false],
    [{ DENO_TIMELINE: "preview/x1y2", PREVIEW_EFFECTS: "1" }, "https://atrium-x1y2.acme.deno.net", true],
    [{ BASE_URL: "https://atrium.example" }, "https://atrium.example", true],
  ];
  for (const [environment, base_url, has_effects] of rows) {
    const config = readConfig({ ...hosted, ...environment });
    assert.deepEqual([config.base_url, config.has_effects, config.host], [base_url, has_effects, "0.0.0.0"]);
  }
  assert.equal(readConfig({ DENO_TIMELINE: "preview/x1y2" }).has_effects, true, "elsewhere the variable means nothing");
});

Deno.test("config: a secret key has at least 16 characters", () => {
  assert.throws(() => readConfig({ SECRET_KEYS: `k1:${"x".repeat(15)}` }), /SECRET_KEYS/);
  assert.equal(readConfig({ SECRET_KEYS: `k1:${"x".repeat(16)}` }).secret_keys?.length, 1);
});
