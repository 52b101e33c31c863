/** Callers of public methods: browsers without a login, API tokens, and app pages. */
import type { Answer } from "./harness.ts";
import { type Ask, made } from "./people.ts";

/** Calls public methods of one database. */
export interface Visitor {
  /** @param body undefined sends none */
  (method: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** A new browser. It keeps the cookie that it receives. */
export function browser(ask: Ask, code: string, headers: Record<string, string> = {}): Visitor {
  let cookie: string | undefined;
  return async (method, json, more = {}) => {
    const answer = await ask("POST", `/platform/db/${code}/${method}`, {
      token: null,
      json,
      headers: { ...headers, ...cookie === undefined ? {} : { cookie }, ...more },
    });
    cookie = cookieOf(answer) ?? cookie;
    return answer;
  };
}

/** A caller with an API token and without cookies. */
export const bearer = (ask: Ask, code: string, token: string): Visitor => (method, json, headers = {}) =>
  ask("POST", `/platform/db/${code}/${method}`, { token, json, headers });

/** An app page with this page token. */
export const page = (ask: Ask, code: string, token: string): Visitor => (method, json) =>
  ask("POST", `/platform/db/${code}/${method}`, { token: null, json, headers: { "x-app-token": token } });

/** The cookie that an answer sets, as `name=value`. */
export const cookieOf = ({ headers }: Answer): string | undefined => headers.get("set-cookie")?.split(";")[0];

/** The page token in the HTML of an app page. */
export const tokenIn = ({ body }: Answer): string | undefined => /\}\)\("([^"]+)"\)/.exec(body)?.[1];

/** Creates a database. @returns its code */
export async function addDb(ask: Ask, fields: Record<string, unknown>): Promise<string> {
  const name = `db_${crypto.randomUUID().slice(0, 8)}`;
  return made(await ask("POST", "/platform/dbs.json", { json: { db: { name, ...fields } } })).code;
}

/** Creates an html app. @returns its path */
export async function addApp(ask: Ask, fields: Record<string, unknown>): Promise<string> {
  const app = { name: "App", app_engine: "html", css_engine: "none", source_code: "<p>hi</p>", public: true };
  return `/a/${made(await ask("POST", "/platform/apps.json", { json: { app: { ...app, ...fields } } })).id}`;
}
