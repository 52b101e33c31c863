/** Callers of public methods, as browsers are: without a login, or from an app's page. */
import type { Answer } from "./harness.ts";
import { type Ask, made } from "./people.ts";

/** A caller of one database's public methods. */
export interface Visitor {
  /** Without a body where it is undefined. */
  (method: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** A browser that has not been here yet: it keeps the cookie that it is given. */
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

/** Somebody with a token, and no cookies. */
export const bearer = (ask: Ask, code: string, token: string): Visitor => (method, json, headers = {}) =>
  ask("POST", `/platform/db/${code}/${method}`, { token, json, headers });

/** Requests of a page that the server gave out with this token. */
export const page = (ask: Ask, code: string, token: string): Visitor => (method, json) =>
  ask("POST", `/platform/db/${code}/${method}`, { token: null, json, headers: { "x-app-token": token } });

/** `name=value` of the cookie that an answer sets. */
export const cookieOf = ({ headers }: Answer): string | undefined => headers.get("set-cookie")?.split(";")[0];

/** The token that stands in an app's page. */
export const tokenIn = ({ body }: Answer): string | undefined => /\}\)\("([^"]+)"\)/.exec(body)?.[1];

/** Makes a database and gives its code. */
export async function addDb(ask: Ask, fields: Record<string, unknown>): Promise<string> {
  const name = `db_${crypto.randomUUID().slice(0, 8)}`;
  return made(await ask("POST", "/platform/dbs.json", { json: { db: { name, ...fields } } })).code;
}

/** Makes an html app and gives its path. */
export async function addApp(ask: Ask, fields: Record<string, unknown>): Promise<string> {
  const app = { name: "App", app_engine: "html", css_engine: "none", source_code: "<p>hi</p>", public: true };
  return `/a/${made(await ask("POST", "/platform/apps.json", { json: { app: { ...app, ...fields } } })).id}`;
}
