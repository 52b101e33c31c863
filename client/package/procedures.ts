/** Every procedure of the API as a function, from a table that `deno task pack` writes. */
import { carriesFile, flatNames } from "../flat_names.ts";
import { segment, valueOf } from "../app/request.js";
import type { CallOptions } from "./types/index.d.ts";
import type { Transport } from "./transport.ts";

/**
 * A route as the table has it: `departments.find GET /account/departments/:id.json`. After it may stand `=` and the input
 * key that is the whole body, `s` (may be sent twice) and `k` (takes an `Idempotency-Key`).
 */
interface Route {
  name: string;
  method: string;
  path: string;
  whole_body: string | undefined;
  is_safe: boolean;
  takes_key: boolean;
}

type Input = Record<string, unknown>;
type Procedure = (input?: Input, options?: CallOptions) => Promise<unknown>;
export interface Tree {
  [name: string]: Procedure | Tree;
}

function readRoute(line: string): Route {
  const [name = "", method = "", path = "", ...flags] = line.split(" ");
  const whole_body = flags.find((flag) => flag.startsWith("="))?.slice(1);
  return { name, method, path, whole_body, is_safe: flags.includes("s"), takes_key: flags.includes("k") };
}

/** `departments.create` becomes `{ departments: { create } }`. */
export function proceduresOf(table: string, transport: Transport): Tree {
  const root: Tree = {};
  for (const line of table.split("\n")) {
    const route = readRoute(line);
    const names = route.name.split(".");
    const last = names.pop() ?? "";
    let branch = root;
    for (const name of names) {
      const known = branch[name];
      const next: Tree = typeof known === "object" ? known : {};
      branch[name] = next;
      branch = next;
    }
    branch[last] = procedureOf(route, transport);
  }
  return root;
}

function procedureOf(route: Route, transport: Transport): Procedure {
  const { method, whole_body, is_safe, takes_key } = route;
  return async (input = {}, { signal, timeout } = {}) => {
    const rest = { ...input };
    let address = route.path.replace(/:(\w+)/g, (_, key: string) => {
      const value = rest[key];
      delete rest[key];
      return segment(value === undefined ? undefined : String(value), key);
    });
    const headers: Record<string, string> = {};
    if (takes_key) {
      headers["idempotency-key"] = String(rest.idempotency_key ?? newKey());
      delete rest.idempotency_key;
    }
    let body: BodyInit | undefined;
    if (method === "GET" || method === "DELETE") address += queryOf(rest);
    else if (whole_body !== undefined) body = JSON.stringify(rest[whole_body] ?? {});
    else if (carriesFile(rest)) body = formOf(rest);
    else if (Object.keys(rest).length > 0) body = JSON.stringify(rest);
    const repeat = is_safe ? "safe" : takes_key ? "keyed" : "refused";
    return await transport.ask(method, address, { body, headers, signal, timeout, repeat }, readAnswer);
  };
}

/** A list has its number of rows on all pages beside it. */
export async function readAnswer(response: Response, signal: AbortSignal): Promise<unknown> {
  if (response.status === 204) return undefined;
  const value = await valueOf(response, signal);
  if (!Array.isArray(value)) return value;
  const total = response.headers.get("x-total-count");
  return Object.defineProperty(value, "total", { value: total === null ? undefined : Number(total) });
}

export function queryOf(input: Input): string {
  const pairs = flatNames(input).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

function formOf(input: Input): FormData {
  const form = new FormData();
  for (const [name, value] of flatNames(input)) form.append(name, value);
  return form;
}

/** 128 random bits. `crypto.randomUUID` is missing in pages that were loaded over plain http. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
