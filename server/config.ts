/**
 * The configuration: the environment, parsed and validated once. One message names every fault. No other module reads the
 * environment.
 *
 * | variable | default | meaning |
 * |---|---|---|
 * | PORT, HOST | 8000, 127.0.0.1 | where to listen |
 * | BASE_URL | http://HOST:PORT | the address that people and links use |
 * | DATA_DIR | .data | the folder for everything embedded |
 * | DATABASE_URL | none | PostgreSQL 14 or later instead of the embedded database |
 * | KV_URL | DATA_DIR/kv.sqlite3 | a Deno KV path or address; on Deno Deploy the host's own |
 * | ADMIN_TOKEN, ADMIN_EMAIL, ADMIN_PASSWORD | generated, admin@localhost, generated | the first admin |
 * | SECRET_KEYS | none | `k2:…,k1:…`; required with DATABASE_URL |
 * | EGRESS_ALLOW | none | `host:port,…` that connectors may call though private |
 * | APPS_ORIGIN | none | `https://apps.example` or `https://*.apps.example`: other hosts that serve apps |
 * | TRUSTED_PROXIES | 0 | how many proxies in front may set X-Forwarded-For |
 * | ACTION_WAIT_MS | 10000 | how long an action call waits for its flow |
 * | SMTP_URL, MAIL_FROM | none, Atrium <atrium@host> | `smtps://user:password@host`: sends invitations and password resets |
 * | OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET | none | the provider of OpenID Connect; all three or none |
 * | OIDC_NAME | the issuer's host | what the sign-in page calls the provider |
 * | OIDC_ROLE_CLAIM | none | the claim with a new user's role |
 * | DEV | none | `1`: set by `deno task dev`; the console reloads after a change of its sources |
 * | AI_URL, AI_MODEL, AI_KEY | none | a language model with OpenAI's chat completions: the address above `/chat/completions` |
 * | WORKERS | 1 | server processes on this port; more than one needs DATABASE_URL |
 * | PREVIEW_EFFECTS | none | `1`: triggers, calls and mail also on timelines of Deno Deploy other than production |
 */
import { z } from "zod";

export interface SecretKey {
  id: string;
  /** The key material. Each purpose derives its own key from it. */
  material: string;
}

/** A provider of OpenID Connect. */
export interface OidcConfig {
  issuer: string;
  client_id: string;
  client_secret: string;
  /** For people. */
  name: string;
  role_claim: string | undefined;
}

/** A language model with OpenAI's chat completions. */
export interface AiConfig {
  /** Without a trailing slash; the endpoint is `/chat/completions` below it. */
  url: string;
  model: string;
  /** Undefined for a model that needs none. */
  key: string | undefined;
}

export interface Config {
  port: number;
  host: string;
  /** Without a trailing slash. */
  base_url: string;
  data_dir: string;
  database_url: string | undefined;
  kv_url: string | undefined;
  admin: { token: string | undefined; email: string; password: string | undefined };
  /** The first key encrypts and signs; all decrypt and verify. Undefined only with the embedded database. */
  secret_keys: readonly SecretKey[] | undefined;
  /** `host:port`, lower case. */
  egress_allow: readonly string[];
  /** Lower case, without a slash at the end. */
  apps_origin: string | undefined;
  oidc: OidcConfig | undefined;
  ai: AiConfig | undefined;
  trusted_proxies: number;
  action_wait_ms: number;
  /** An `smtp:` or `smtps:` address; undefined sends no mail. */
  smtp_url: string | undefined;
  /** The sender of mails. */
  mail_from: string;
  /** Whether `deno task dev` started it. */
  dev: boolean;
  /** Server processes on one port of this machine. */
  workers: number;
  /** From 1. Undefined unless a supervisor started this process as one of several. */
  process_number: number | undefined;
  /** The environment of compile workers: only the variables that locate Deno's files and the network's proxies. */
  child_environment: Readonly<Record<string, string>>;
  /** On Deno Deploy: no disk, no flags, the host's own KV. */
  hosted: boolean;
  /** Whether Deno sends traces to a collector. */
  has_traces: boolean;
  /** Of Deno Deploy: `production`, `git-branch/<name>` or `preview/<id>`. */
  timeline: string | undefined;
  /** Whether triggers start flows, connectors are called and mail is sent. Not on a preview, unless it is allowed. */
  has_effects: boolean;
}

/** Names every wrong or missing variable, one line each. */
export class ConfigError extends Error {
  override name = "ConfigError";
  constructor(readonly faults: string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  }
}

const integer = (min: number, max: number) =>
  z.string().regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`).transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

/** Links begin with such an address as it is written, so it must not rely on what a parser of URLs repairs. */
const httpUrl = z.string().refine(
  (value) => /^https?:\/\/[^\s?#\\]+$/i.test(value) && URL.canParse(value) && !hasCredentials(new URL(value)),
  "must be an http or https address without spaces, password, query or fragment",
).transform((value) => value.replace(/\/+$/, ""));

const hasCredentials = ({ username, password }: URL) => username !== "" || password !== "";

/** Without a port. An address of IPv6 may stand in brackets. */
const host = z.string().refine(
  (value) =>
    /^(\[[^[\]]+\]|[^[\]]+)$/.test(value) && !/[\s/@?#\\]/.test(value) && URL.canParse(`http://${inBrackets(value)}`),
  "must be a host name or an address, without a port",
);

/** An address of IPv6 as URLs have it. */
const inBrackets = (host: string) => host.replace(/^([^[].*:.*)$/, "[$1]");

const secretKeys = z.string().transform((value, { addIssue }) => {
  const keys = value.split(",").map((entry) => {
    const [, id, material] = /^\s*([A-Za-z0-9_-]{1,32}):(\S{16,})\s*$/.exec(entry) ?? [];
    if (id === undefined || material === undefined) {
      addIssue("must be id:key pairs such as k2:…,k1:…, each key at least 16 characters without spaces");
      return { id: "", material: "" };
    }
    return { id, material };
  });
  // What another key of the same name has written would not be encrypted again, and be lost with that key.
  const ids = keys.map(({ id }) => id).filter((id) => id !== "");
  if (new Set(ids).size < ids.length) {
    addIssue("must give each key another name, such as k2:…,k1:…");
  }
  return keys;
});

const isDecodable = (text: string) => {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
};

/** The driver also takes several hosts, separated by commas. */
const databaseUrl = z.string().refine(
  (value) => {
    const [, before = "", hosts = "", behind = ""] = /^(postgres(?:ql)?:\/\/(?:[^/?@]*@)?)([^/?]*)(\S*)$/.exec(value) ??
      [];
    const address = `${before}${hosts.replace(/,.*/, "")}${behind}`;
    return hosts + behind !== "" && !/\s/.test(value) && URL.canParse(address) &&
      isDecodable(address.replace(/\?.*/, ""));
  },
  "must be a postgres:// address; special characters in its name and password are written as %2F and the like",
);

/** What a shell or a browser would replace would name a folder in the working directory. */
const dataDir = z.string().refine(
  (value) => value.trim() !== "" && !/^(~|file:)/.test(value),
  "must be the path of a folder: ~ and file: addresses are not read",
);

const egressAllow = z.string().transform((value) => value.split(",").map((entry) => entry.trim().toLowerCase()))
  .refine((entries) => entries.every((entry) => /^(\[[0-9a-f:.]+\]|[^\s:/]+):\d{1,5}$/.test(entry) && hasPort(entry)), {
    message: "must be host:port pairs, separated by commas",
  });

const hasPort = (pair: string) => Number(/\d+$/.exec(pair)?.[0]) <= 65535;

/** `*` stands for one label. A port that the scheme implies is left out, as browsers leave it out of `Host`. */
const appsOrigin = z.string().refine(
  (value) =>
    /^https?:\/\/(\*\.)?[a-z0-9][a-z0-9.-]*(:\d{1,5})?\/?$/i.test(value) && URL.canParse(value.replace("*", "x")),
  "must look like https://apps.example or https://*.apps.example",
).transform((value) => new URL(value.replace("*", "wildcard")).origin.replace("//wildcard.", "//*."));

/** Codes and secrets travel to it. */
const issuer = z.string().refine(
  (value) => URL.canParse(value) && isPrivateTo(new URL(value)) && !/[\s?#]/.test(value),
  "must be an https address without query or fragment; http is possible on localhost only",
);

const isPrivateTo = ({ protocol, hostname }: URL) =>
  protocol === "https:" || protocol === "http:" && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

const Environment = z.object({
  PORT: integer(1, 65535).default(8000),
  HOST: host.default("127.0.0.1"),
  BASE_URL: httpUrl.optional(),
  DATA_DIR: dataDir.default(".data"),
  DATABASE_URL: databaseUrl.optional(),
  KV_URL: z.string().refine((value) => value.trim() !== "", "must be the path or the address of a Deno KV store")
    .optional(),
  ADMIN_TOKEN: z.string().regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces").optional(),
  ADMIN_EMAIL: z.string().regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address").default("admin@localhost"),
  ADMIN_PASSWORD: z.string().min(8, "must have at least 8 characters").max(1024, "must have at most 1024 characters")
    .optional(),
  SECRET_KEYS: secretKeys.optional(),
  EGRESS_ALLOW: egressAllow.default([]),
  APPS_ORIGIN: appsOrigin.optional(),
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(100, "must have at most 100 characters").optional(),
  OIDC_ROLE_CLAIM: z.string().optional(),
  TRUSTED_PROXIES: integer(0, 10).default(0),
  ACTION_WAIT_MS: integer(0, 600_000).default(10_000),
  SMTP_URL: z.string().refine(
    (value) =>
      URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol) && new URL(value).hostname !== "" &&
      isDecodable(value),
    "must look like smtp://host:587 or smtps://user:password@host",
  ).optional(),
  MAIL_FROM: z.string().regex(/^([^<>\r\n]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, "must be an e-mail address")
    .optional(),
  /** Set by `deno task dev`. */
  DEV: z.literal("1").optional(),
  AI_URL: httpUrl.optional(),
  AI_MODEL: z.string().max(200, "must have at most 200 characters").optional(),
  AI_KEY: z.string().regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces").optional(),
  WORKERS: integer(1, 64).default(1),
  DENO_TIMELINE: z.string().optional(),
  PREVIEW_EFFECTS: z.literal("1", "must be 1 or not set").optional(),
  /** Set by the supervisor only. */
  PROCESS_NUMBER: integer(1, 64).optional(),
});

/** @throws {ConfigError} */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const hosted = Boolean(environment.DENO_DEPLOY ?? environment.DENO_DEPLOYMENT_ID);
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  if (hosted) {
    if (!given.DATABASE_URL && given.PGHOST) given.DATABASE_URL = databaseUrlOfHost(given);
    given.BASE_URL ??= addressOnHost(given);
    given.HOST ??= "0.0.0.0";
  }
  const parsed = Environment.safeParse(given);
  const faults = parsed.error?.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`) ?? [];
  if (given.DATABASE_URL && !given.SECRET_KEYS) {
    faults.push("SECRET_KEYS is required with DATABASE_URL: k1:<at least 16 characters>, kept outside the database");
  }
  if (hosted && !given.DATABASE_URL) {
    faults.push("DATABASE_URL is required here: assign a PostgreSQL database to the app");
  }
  faults.push(...missingOidc(given), ...faultsOfAi(given));
  if (parsed.data && parsed.data.WORKERS > 1) {
    if (!given.DATABASE_URL) faults.push("WORKERS needs DATABASE_URL: the embedded database belongs to one process");
    if (hosted) faults.push("WORKERS must be 1 here: this host starts processes by itself");
    if (Deno.build.os === "windows") faults.push("WORKERS must be 1 on Windows: its processes cannot share a port");
  }
  if (parsed.data?.APPS_ORIGIN && namesSite(parsed.data.APPS_ORIGIN, baseUrlOf(parsed.data))) {
    faults.push("APPS_ORIGIN must name other hosts than BASE_URL: cookies do not tell ports apart");
  }
  if (!parsed.success || faults.length > 0) throw new ConfigError([...new Set(faults)]);
  const env = parsed.data;
  const base_url = baseUrlOf(env);
  return Object.freeze({
    port: env.PORT,
    host: env.HOST,
    base_url,
    data_dir: env.DATA_DIR,
    database_url: env.DATABASE_URL,
    kv_url: env.KV_URL,
    admin: { token: env.ADMIN_TOKEN, email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD },
    secret_keys: env.SECRET_KEYS,
    egress_allow: env.EGRESS_ALLOW,
    apps_origin: env.APPS_ORIGIN,
    oidc: oidcOf(env),
    ai: env.AI_URL && env.AI_MODEL ? { url: env.AI_URL, model: env.AI_MODEL, key: env.AI_KEY } : undefined,
    trusted_proxies: env.TRUSTED_PROXIES,
    action_wait_ms: env.ACTION_WAIT_MS,
    smtp_url: env.SMTP_URL,
    mail_from: env.MAIL_FROM ?? `Atrium <atrium@${new URL(base_url).hostname}>`,
    dev: env.DEV !== undefined,
    workers: env.WORKERS,
    process_number: env.PROCESS_NUMBER,
    child_environment: childEnvironment(given),
    hosted,
    has_traces: Object.keys(given).some((name) => name.startsWith("OTEL_")),
    timeline: env.DENO_TIMELINE,
    has_effects: !hosted || (env.DENO_TIMELINE ?? PRODUCTION) === PRODUCTION || env.PREVIEW_EFFECTS !== undefined,
  });
}

const PRODUCTION = "production";

function baseUrlOf({ BASE_URL, HOST, PORT }: z.output<typeof Environment>): string {
  if (BASE_URL !== undefined) return BASE_URL;
  const shown = ["0.0.0.0", "::", "[::]"].includes(HOST) ? "localhost" : inBrackets(HOST);
  return `http://${shown}:${PORT}`;
}

/** Whether the site's own host is one of those that serve apps. */
function namesSite(apps_origin: string, base_url: string): boolean {
  const apps = new URL(apps_origin.replace("//*.", "//")).hostname;
  const { hostname } = new URL(base_url);
  return apps_origin.includes("//*.") ? hostname.endsWith(`.${apps}`) : hostname === apps;
}

const OIDC_NEEDS = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"];

function missingOidc(given: Record<string, string | undefined>): string[] {
  if (!Object.keys(given).some((name) => name.startsWith("OIDC_"))) return [];
  return OIDC_NEEDS.filter((name) => !given[name]).map((name) => `${name} is required for OpenID Connect`);
}

function faultsOfAi({ AI_URL, AI_MODEL, AI_KEY }: Record<string, string | undefined>): string[] {
  if (AI_URL === undefined && AI_MODEL === undefined && AI_KEY === undefined) return [];
  if (AI_URL === undefined) return ["AI_URL is required for the assistant"];
  if (AI_MODEL === undefined) return ["AI_MODEL is required for the assistant"];
  return AI_KEY !== undefined && URL.canParse(AI_URL) && !isPrivateTo(new URL(AI_URL))
    ? ["AI_URL must be an https address, because AI_KEY is sent to it; http is possible on localhost only"]
    : [];
}

function oidcOf(env: z.output<typeof Environment>): OidcConfig | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME, OIDC_ROLE_CLAIM } = env;
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) return undefined;
  return {
    issuer: OIDC_ISSUER,
    client_id: OIDC_CLIENT_ID,
    client_secret: OIDC_CLIENT_SECRET,
    name: OIDC_NAME ?? new URL(OIDC_ISSUER).host,
    role_claim: OIDC_ROLE_CLAIM,
  };
}

const OF_DENO =
  /^(DENO_DIR|DENO_CERT|DENO_TLS_CA_STORE|HOME|XDG_CACHE_HOME|LOCALAPPDATA|USERPROFILE|SystemRoot|NPM_CONFIG_REGISTRY|SSL_CERT_FILE|(HTTPS?|NO|ALL)_PROXY)$/i;

/** Picks `child_environment` from a complete environment. */
export const childEnvironment = (environment: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => value && OF_DENO.test(name) ? [[name, value]] : []),
  );

/** The address that Deno Deploy gives to each timeline of an app. */
function addressOnHost(env: Record<string, string | undefined>): string | undefined {
  const app = env.DENO_DEPLOY_APPLICATION_SLUG ?? env.DENO_DEPLOY_APP_SLUG;
  const organization = env.DENO_DEPLOY_ORGANIZATION_SLUG ?? env.DENO_DEPLOY_ORG_SLUG;
  if (app === undefined || organization === undefined) return undefined;
  const timeline = (env.DENO_TIMELINE ?? PRODUCTION).replace(/^git-branch\//, "--").replace(/^preview\//, "-");
  const suffix = timeline === PRODUCTION ? "" : timeline.toLowerCase().replace(/[^a-z0-9-]+/g, "-");
  return `https://${app}${suffix}.${organization}.deno.net`;
}

/** Deno Deploy passes a linked database as PG* variables. */
function databaseUrlOfHost(env: Record<string, string | undefined>): string {
  const url = new URL(`postgres://${env.PGHOST}:${env.PGPORT ?? 5432}/${env.PGDATABASE ?? "postgres"}`);
  url.username = encodeURIComponent(env.PGUSER ?? "postgres");
  url.password = encodeURIComponent(env.PGPASSWORD ?? "");
  if (env.PGSSLMODE) url.searchParams.set("sslmode", env.PGSSLMODE);
  return url.href;
}
