/** A connector as its form holds it, and what a save sends. */
import type { Client } from "../../../mod.ts";

export type Connector = Awaited<ReturnType<Client["connectors"]["find"]["query"]>>;
type Sent = Parameters<Client["connectors"]["create"]["mutate"]>[0]["connector"];
export type Fields = NonNullable<Sent["fields"]>;
type Auth = NonNullable<Fields["auth"]>;
type Method = NonNullable<Fields["methods"]>[string];
type Single = string | number | boolean | null;
type JsonValue = Single | JsonValue[] | { [key: string]: JsonValue };

export const AUTH_TYPES = ["none", "bearer", "basic", "header", "query", "oauth2_client_credentials", "hmac"] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** The fields of all kinds, so that a change of the kind loses nothing that was typed. */
export interface AuthForm {
  type: AuthType;
  username: string;
  /** Of the header or the query parameter. */
  name: string;
  token_url: string;
  client_id: string;
  scope: string;
  audience: string;
  client_auth: "basic" | "body";
  header: string;
  algorithm: "sha1" | "sha256" | "sha512";
  encoding: "hex" | "base64";
  prefix: string;
  signs: "body" | "timestamp.body";
  timestamp_header: string;
}

export interface Pair {
  name: string;
  value: string;
  /** The value as stored, where it is no text. */
  stored?: Exclude<Single, string>;
}

export interface MethodForm {
  /** The name as stored; of a new method something that no name can be. */
  key: string;
  name: string;
  method: Method["method"];
  path: string;
  public: boolean;
  query: Pair[];
  headers: Pair[];
  /** Empty: by the content type. */
  body_type: NonNullable<Method["body_type"]> | "";
  /** JSON, or a plain text with the type `text`. */
  body: string;
  graphql: { query: string; variables: string; operation_name: string };
  /** Empty: by the content type. */
  response: NonNullable<Method["response"]> | "";
}

export interface Form {
  name: string;
  code: string;
  url: string;
  department_id: number | null;
  per_second: string;
  auth: AuthForm;
  methods: MethodForm[];
}

export const METHOD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

export function formOf(connector?: Connector): Form {
  const { auth, methods = {}, per_second } = connector?.fields ?? {};
  return {
    name: connector?.name ?? "",
    code: connector?.code ?? "",
    url: connector?.url ?? "",
    department_id: connector?.department_id ?? null,
    per_second: per_second === undefined ? "" : String(per_second),
    auth: authFormOf(auth),
    methods: Object.entries(methods).map(([name, method]) => methodFormOf(name, method)),
  };
}

function authFormOf(auth: Auth | undefined): AuthForm {
  const blank: AuthForm = {
    type: "none",
    username: "",
    name: "",
    token_url: "",
    client_id: "",
    scope: "",
    audience: "",
    client_auth: "basic",
    header: "",
    algorithm: "sha256",
    encoding: "hex",
    prefix: "",
    signs: "body",
    timestamp_header: "",
  };
  const given = Object.entries(auth ?? {}).filter(([, value]) => value !== undefined);
  return { ...blank, ...Object.fromEntries(given) };
}

export const newMethod = (name: string): MethodForm => ({
  ...methodFormOf(name, { method: "GET", path: `/` }),
  key: `+${crypto.randomUUID()}`,
});

function methodFormOf(name: string, stored: Method): MethodForm {
  const { method, path, query = {}, headers = {}, body_type = "", body, response = "" } = stored;
  const graphql = body_type === "graphql" && isObject(body) ? body : {};
  return {
    key: name,
    name,
    method,
    path,
    public: stored.public ?? false,
    query: Object.entries(query).map(([name, value]) => pairOf(name, value)),
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body_type,
    body: body_type === "graphql" ? "" : textOf(body, body_type),
    graphql: {
      query: typeof graphql.query === "string" ? graphql.query : "",
      variables: textOf(graphql.variables, ""),
      operation_name: typeof graphql.operation_name === "string" ? graphql.operation_name : "",
    },
    response,
  };
}

const pairOf = (name: string, value: Single): Pair =>
  typeof value === "string" ? { name, value } : { name, value: String(value), stored: value };

function textOf(body: JsonValue | undefined, body_type: string): string {
  if (body === undefined || body === null) return "";
  return body_type === "text" && typeof body === "string" ? body : JSON.stringify(body, null, 2);
}

const isObject = (value: unknown): value is { [key: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a method of this kind may send a body. */
export const mayHaveBody = (method: Method["method"]): boolean => method !== "GET" && method !== "HEAD";

/** What a save sends, and what is wrong with it before the server is asked: messages by the API's names. */
export function sentOf(form: Form): { connector: Sent; faults: Record<string, string[]> } {
  const faults: Record<string, string[]> = {};
  const methods: Record<string, Method> = {};
  for (const method of form.methods) {
    const path = `fields.methods.${method.key}`;
    if (!METHOD_NAME.test(method.name)) {
      faults[`${path}.name`] = ["must be a letter, and then letters, digits and _"];
    } else if (Object.hasOwn(methods, method.name)) faults[`${path}.name`] = ["is the name of another method"];
    else methods[method.name] = methodOf(method, path, faults);
  }
  const { per_second } = form;
  if (per_second.trim() && !Number.isFinite(Number(per_second))) faults["fields.per_second"] = ["is not a number"];
  const fields: Fields = {
    auth: authOf(form.auth),
    methods,
    ...(per_second.trim() && { per_second: Number(per_second) }),
  };
  const { name, code, url, department_id } = form;
  return { connector: { name, url: url.trim(), department_id, fields, ...(code.trim() && { code }) }, faults };
}

function authOf(form: AuthForm): Auth {
  const { type, client_auth, algorithm, encoding, prefix, signs } = form;
  switch (type) {
    case "none":
    case "bearer":
      return { type };
    case "basic":
      return { type, username: form.username };
    case "header":
    case "query":
      return { type, name: form.name };
    case "oauth2_client_credentials": {
      const { token_url, client_id, scope, audience } = form;
      return { type, token_url, client_id, client_auth, ...(scope && { scope }), ...(audience && { audience }) };
    }
    case "hmac": {
      const timestamped = signs === "timestamp.body" && { timestamp_header: form.timestamp_header };
      return { type, header: form.header, algorithm, encoding, prefix, signs, ...timestamped };
    }
  }
}

function methodOf(form: MethodForm, path: string, faults: Record<string, string[]>): Method {
  const json = (text: string, name: string): JsonValue | undefined => {
    if (!text.trim()) return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      faults[`${path}.${name}`] = [`is not JSON: ${error instanceof Error ? error.message : error}`];
    }
  };
  const bodyOf = (): JsonValue | undefined => {
    if (form.body_type === "text") return form.body || undefined;
    if (form.body_type !== "graphql") return json(form.body, "body");
    const { query, operation_name } = form.graphql;
    const variables = json(form.graphql.variables, "body.variables");
    return { query, ...(variables !== undefined && { variables }), ...(operation_name && { operation_name }) };
  };
  const has_body = mayHaveBody(form.method);
  const body = has_body ? bodyOf() : undefined;
  const query = form.query.filter(({ name }) => name.trim());
  const headers = form.headers.filter(({ name }) => name.trim());
  return {
    method: form.method,
    path: form.path.trim(),
    ...(query.length > 0 && { query: Object.fromEntries(query.map((pair) => [pair.name.trim(), valueOf(pair)])) }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value])) }),
    ...(has_body && form.body_type && { body_type: form.body_type }),
    ...(body !== undefined && { body }),
    ...(form.response && { response: form.response }),
    ...(form.public && { public: true }),
  };
}

const valueOf = ({ value, stored }: Pair): Single => stored !== undefined && String(stored) === value ? stored : value;

const PLACEHOLDER = /\{\{|\{([A-Za-z_]\w*)(?:\.\w+)*\}/g;

/** The names of the parameters that a call needs, in the order of their places. */
export function paramsOf(form: MethodForm): string[] {
  const { path, query, headers, body_type, body, graphql } = form;
  const texts = [path, ...query.map(({ value }) => value), ...headers.map(({ value }) => value)];
  if (mayHaveBody(form.method)) texts.push(body_type === "graphql" ? graphql.variables : body);
  return [...new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? [])))];
}

/** The value of a parameter as typed: JSON where it is some, otherwise the text. */
export function paramOf(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const PARTS = ["name", "code", "url", "department_id", "per_second", "auth"] as const;
const WORDS: Record<string, string> = {
  name: "the name",
  code: "the code",
  url: "the address",
  department_id: "the department",
  per_second: "calls a second",
  auth: "the authentication",
};

/** The parts of a form by name, as texts that can be compared: `auth`, or the key of a method. */
function partsOf(form: Form): Map<string, string> {
  const parts = PARTS.map((name): [string, string] => [name, JSON.stringify(form[name])]);
  return new Map([
    ...parts,
    ...form.methods.map((one): [string, string] => [`method ${one.key}`, JSON.stringify(one)]),
  ]);
}

/** The parts in which two forms differ. */
export function differing(form: Form, base: Form): string[] {
  const [mine, before] = [partsOf(form), partsOf(base)];
  const names = new Set([...mine.keys(), ...before.keys()]);
  return [...names].filter((name) => mine.get(name) !== before.get(name));
}

export const wordOf = (part: string): string => WORDS[part] ?? part;

/**
 * Moves what was typed onto a newer state: parts that were not touched take the newer value.
 *
 * @returns the form, and the parts that both have changed differently
 */
export function rebased(form: Form, base: Form, newer: Form): { form: Form; disputed: string[] } {
  const changed = new Set(differing(form, base));
  const [before, mine, theirs] = [partsOf(base), partsOf(form), partsOf(newer)];
  const isMine = ({ key }: MethodForm) => changed.has(`method ${key}`);
  const kept = newer.methods.flatMap((method) =>
    isMine(method) ? form.methods.filter(({ key }) => key === method.key) : method
  );
  const added = form.methods.filter((method) => isMine(method) && !kept.some(({ key }) => key === method.key));
  const merged: Form = { ...newer, methods: [...kept, ...added] };
  const own = Object.fromEntries(PARTS.filter((name) => changed.has(name)).map((name) => [name, form[name]]));
  const disputed = [...changed].filter((name) =>
    theirs.get(name) !== before.get(name) && theirs.get(name) !== mine.get(name)
  );
  return { form: { ...merged, ...own }, disputed };
}
