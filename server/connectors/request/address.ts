/**
 * Builds the URL of a call from encoded segments, so that parameters cannot change the origin or leave the connector's
 * path. Plain concatenation could: `https://api.test` + `@evil.test` and `//evil.test` name another host, and `/users/`
 * + `encodeURIComponent("..")` names the parent path.
 */
import { bounded } from "../../remembered.ts";
import type { JsonValue } from "../../input/json_value.ts";
import { ConnectorFault } from "../call/fault.ts";
import { fillWith, newRoom, ParamFault, type Params, type Room } from "./template.ts";

/** Segments that the URL parser treats as `.` or `..`. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** @returns the reason why a connector's base address is refused, in Rails' wording */
export function baseFault(text: string): string | undefined {
  if (/\s/.test(text) || !URL.canParse(text)) return "is not an http(s) address";
  const { protocol, username, password } = new URL(text);
  if (!/^https?:\/\//i.test(text) || !/^https?:$/.test(protocol)) return "is not an http(s) address";
  if (username || password || /^https?:\/\/[^/]*@/i.test(text)) return "must have no user name or password";
  if (/[?#]/.test(text)) return "must have no query or fragment: these belong to a method";
  if (text.includes("\\")) return "is not an http(s) address";
}

/** @returns the reason why a method's path is refused, in Rails' wording */
export function pathFault(path: string): string | undefined {
  if (path !== "" && !path.startsWith("/")) return "must begin with / or be empty";
  // deno-lint-ignore no-control-regex -- the URL parser strips some control characters
  if (/[\s\x00-\x1f\x7f\\]/.test(path)) return "must have no spaces, control characters or backslashes";
  if (/[?#]/.test(path)) return "must have no ? or #: use the method's query";
  if (path.split("/").some((segment) => DOTS.test(segment))) return "must have no . or .. between slashes";
}

/**
 * @param base the connector's address
 * @param path the method's path; each `{name}` is encoded and stays within its segment
 * @param query names and values, already filled
 * @throws {ParamFault} if a segment would be empty, `.` or `..`
 * @throws {ConnectorFault} `refused` if the base is invalid or the result is not below it
 */
export function buildAddress(
  base: string,
  path: string,
  params: Params,
  query: readonly [string, string][],
  room = newRoom(),
): URL {
  const below = readBase(base);
  const filled = path.split("/").map((segment) => fillSegment(segment, params, room)).join("/");
  const prefix = filled === "" ? below.pathname : below.pathname.replace(/\/+$/, "");
  const url = new URL(`${below.origin}${prefix}${filled}`);
  if (!isBelow(url, below.origin, prefix) || url.hash || url.search) throw notBelow();
  if (query.length > 0) url.search = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
  return url;
}

type Base = Pick<URL, "origin" | "pathname">;

/** Parsed once: a connector's address stays the same for many calls. */
const BASES = bounded<string, Base>(1_000);

/** @throws {ConnectorFault} `refused` */
function readBase(text: string): Base {
  const known = BASES.get(text);
  if (known) return known;
  const fault = baseFault(text);
  if (fault) throw new ConnectorFault("refused", `the address ${fault}`);
  const { origin, pathname } = new URL(text);
  const base = { origin, pathname };
  BASES.set(text, base);
  return base;
}

const notBelow = () => new ConnectorFault("refused", "the address is not below the connector's");

const isBelow = (url: URL, origin: string, prefix: string) =>
  url.origin === origin && !url.username && !url.password &&
  (url.pathname === prefix || url.pathname.startsWith(`${prefix}/`));

/**
 * The address of a further page, which the answer before has named.
 *
 * @param from the address that a relative link begins at
 * @param secret the query parameter that carries the secret. The link has it redacted, or not at all
 * @throws {ConnectorFault} `refused` unless it is below the base
 */
export function linkedAddress(base: string, from: URL, link: string, secret?: readonly [string, string]): URL {
  const { origin, pathname } = new URL(base);
  if (!URL.canParse(link, from)) throw notBelow();
  const url = new URL(link, from);
  if (!isBelow(url, origin, pathname.replace(/\/+$/, ""))) throw notBelow();
  url.hash = "";
  if (secret) url.searchParams.set(...secret);
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

/**
 * Encodes a parameter inside a segment. `..` is also refused between encoded slashes, for servers that decode twice.
 */
function encoded(value: JsonValue, name: string): string {
  if (value === null || value === "") throw new ParamFault(name, "can't be blank in a path");
  if (typeof value === "object") throw new ParamFault(name, "must be a single value in a path");
  const text = String(value);
  if (!text.isWellFormed()) throw new ParamFault(name, "contains an incomplete surrogate pair");
  if (/(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(text)) throw new ParamFault(name, "must not be . or .. in a path");
  return encodeURIComponent(text);
}

/**
 * Filled values of a query or a form as pairs: null omits its name, a list repeats it.
 *
 * @throws {ConnectorFault} `invalid` for an object
 */
export function queryPairs(query: Params, part: "query" | "body" = "query"): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap((one): [string, string][] => {
      if (one === null) return [];
      if (typeof one === "object") throw new ConnectorFault("invalid", `${name} of the ${part} must be a single value`);
      return [[name, String(one).toWellFormed()]];
    });
  });
}
