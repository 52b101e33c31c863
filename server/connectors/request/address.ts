/**
 * The address of a call: built of encoded parts, never concatenated from what a caller gives. `https://api.test` +
 * `@evil.test` and `//evil.test` leave, and `/users/` + `encodeURIComponent("..")` climbs (design: security).
 */
import { ConnectorFault } from "../connectors.ts";
import type { JsonValue } from "../../input/json_value.ts";
import { fillWith, newRoom, ParamFault, type Params, type Room } from "./template.ts";

/** What the URL parser takes for `.` and `..`. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** @returns what is wrong with a connector's base address, in Rails' words */
export function baseFault(text: string): string | undefined {
  if (/\s/.test(text) || !URL.canParse(text)) return "is not an http(s) address";
  const { protocol, username, password } = new URL(text);
  if (!/^https?:\/\//i.test(text) || !/^https?:$/.test(protocol)) return "is not an http(s) address";
  if (username || password || /^https?:\/\/[^/]*@/i.test(text)) return "must have no user name or password";
  if (/[?#]/.test(text)) return "must have no query or fragment: these belong to a method";
  if (text.includes("\\")) return "is not an http(s) address";
}

/** @returns what is wrong with a method's path, in Rails' words */
export function pathFault(path: string): string | undefined {
  if (path !== "" && !path.startsWith("/")) return "must begin with / or be empty";
  // deno-lint-ignore no-control-regex -- the URL parser strips some of them
  if (/[\s\x00-\x1f\x7f\\]/.test(path)) return "must have no spaces, control characters or backslashes";
  if (/[?#]/.test(path)) return "must have no ? or #: the query is a field of its own";
  if (path.split("/").some((segment) => DOTS.test(segment))) return "must have no . or .. between slashes";
}

/**
 * @param base of the connector
 * @param path of the method; each `{name}` is encoded and stays within its segment
 * @param query names and values, already filled
 * @throws {ParamFault} where a value would be empty, `.` or `..`
 * @throws {ConnectorFault} `refused` where the address would not be below the base, or the base is none
 */
export function buildAddress(
  base: string,
  path: string,
  params: Params,
  query: readonly [string, string][],
  room = newRoom(),
): URL {
  const fault = baseFault(base);
  if (fault) throw new ConnectorFault("refused", `the address ${fault}`);
  const below = new URL(base);
  const filled = path.split("/").map((segment) => fillSegment(segment, params, room)).join("/");
  const prefix = filled === "" ? below.pathname : below.pathname.replace(/\/+$/, "");
  const url = new URL(`${below.origin}${prefix}${filled}`);
  const inside = url.pathname === prefix || url.pathname.startsWith(`${prefix}/`);
  if (url.origin !== below.origin || !inside || url.username || url.password || url.hash || url.search) {
    throw new ConnectorFault("refused", "the address is not below the connector's");
  }
  url.search = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
  return url;
}

function fillSegment(segment: string, params: Params, room: Room): string {
  let last = "";
  const filled = fillWith(segment, params, (value, name) => {
    last = name;
    return encoded(value, name);
  }, room);
  if (DOTS.test(filled)) throw new ParamFault(last, "must not be . or .. in a path");
  return filled;
}

/** One piece of a segment. Servers that decode twice must not climb either. */
function encoded(value: JsonValue, name: string): string {
  if (value === null || value === "") throw new ParamFault(name, "can't be blank in a path");
  if (typeof value === "object") throw new ParamFault(name, "must be a single value in a path");
  const text = String(value);
  if (!text.isWellFormed()) throw new ParamFault(name, "has half of a surrogate pair");
  if (/(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(text)) throw new ParamFault(name, "must not be . or .. in a path");
  return encodeURIComponent(text);
}

/** Filled query values as pairs: null leaves a name out, a list repeats it. @throws {ParamFault} on an object */
export function queryPairs(query: Params): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap((one): [string, string][] => {
      if (one === null) return [];
      if (typeof one === "object") throw new ConnectorFault("invalid", `${name} of the query must be a single value`);
      return [[name, String(one).toWellFormed()]];
    });
  });
}
