/** `paginate` of a connector step: follows an API's pages and collects them into one output. */
import { z } from "zod";
import { type ConnectorAnswer, type ConnectorCall, ConnectorFault, REDACTED } from "../../connectors/connectors.ts";
import type { JsonValue } from "../../input/json_value.ts";
import { nextLink } from "./link_header.ts";
import { Path, valueAt } from "./pick.ts";
import { StepFault } from "./fault.ts";

/** The most pages that `most` may allow. */
const MOST_PAGES = 1_000;

const Param = z.string().regex(/^[A-Za-z_]\w{0,99}$/, "is not the name of a parameter");

const COMMON = {
  most: z.int().min(1).max(MOST_PAGES).default(100).describe("Pages; further pages leave a warning"),
  more: Path.optional().describe(
    "Path to a value of the answer; if it is false, null or missing, the page is the last one",
  ),
};
const collect = Path.optional()
  .describe("Path to the list of each page. Without it, the items of an answer that is a list, otherwise the answer");

export const Paginate = z.discriminatedUnion("by", [
  z.strictObject({
    by: z.literal("link").describe('Follows the header `Link: <…>; rel="next"`'),
    next: Path.optional().describe("Path to the address of the next page, instead of the header"),
    collect,
    ...COMMON,
  }),
  z.strictObject({
    by: z.literal("cursor").describe("Passes a value of each answer to the next call"),
    cursor: Path.describe("Path to that value; `-1` is the last item of a list"),
    param: Param.describe("The method's parameter that takes it; null at first, unless `params` has it"),
    collect,
    ...COMMON,
  }),
  z.strictObject({
    by: z.literal("page").describe("Counts pages or items, until a page is empty"),
    param: Param.describe("The method's parameter that takes the number"),
    first: z.int().min(0).default(1),
    step: z.int().min(1).max(100_000).default(1).describe(
      "What is added for each page; for an offset, the page's size",
    ),
    collect,
    ...COMMON,
  }),
]);
export type Paginate = z.output<typeof Paginate>;

/** The parameter that paging gives to the method. */
export const pageParam = (paginate: Paginate | undefined): string[] =>
  paginate === undefined || paginate.by === "link" ? [] : [paginate.param];

interface Paging {
  paginate: Paginate;
  first: ConnectorCall;
  /** Bytes of all pages together. */
  most_bytes: number;
  send(call: ConnectorCall): Promise<ConnectorAnswer>;
  /** A page has arrived. The wait for the next one's turn does not count as the step's time. */
  stopClock(): void;
  warn(message: string): void;
}

/**
 * Pages are requested one after the other, each with its own deadline.
 *
 * @returns the last answer, with what was collected as its body
 * @throws {ConnectorFault | StepFault}
 */
export async function collectPages(
  { paginate, first, most_bytes, send, stopClock, warn }: Paging,
): Promise<ConnectorAnswer> {
  const collected: JsonValue[] = [];
  let left = most_bytes;
  let asked = "";
  const sends = (request: { method: string; url: string }) => {
    asked = request.url;
    first.sends?.(request);
  };
  let call = { ...begun(paginate, first), sends };
  for (let page = 1;; page++) {
    const answer = await send({ ...call, most_bytes: left }).catch((error) => throwFault(error, page, most_bytes));
    stopClock();
    left -= answer.bytes;
    const items = itemsOf(paginate, answer.body, page);
    for (const item of items) collected.push(item);
    const next = nextCall(paginate, call, asked, answer, page, items.length);
    if (next === undefined) return { ...answer, body: collected };
    if (next === "same") warn(`paginate: page ${page} leads to itself, so it counts as the last one`);
    else if (page === paginate.most) warn(`paginate: there are more than ${page} pages; the others are left out`);
    else {
      call = { ...next, idempotency_key: `${first.idempotency_key}:${page + 1}` };
      continue;
    }
    return { ...answer, body: collected };
  }
}

const begun = (paginate: Paginate, call: ConnectorCall): ConnectorCall => {
  if (paginate.by === "link") return call;
  const { param } = paginate;
  return {
    ...call,
    params: { ...call.params, [param]: paginate.by === "page" ? paginate.first : call.params[param] ?? null },
  };
};

/**
 * @param asked the address of this page, without the secret
 * @returns undefined after the last page
 */
function nextCall<Call extends ConnectorCall>(
  paginate: Paginate,
  call: Call,
  asked: string,
  { headers, body }: ConnectorAnswer,
  page: number,
  items: number,
): Call | "same" | undefined {
  if (paginate.more !== undefined && !valueAt(body, paginate.more)) return undefined;
  if (paginate.by === "page") {
    if (items === 0) return undefined;
    return { ...call, params: { ...call.params, [paginate.param]: paginate.first + page * paginate.step } };
  }
  if (paginate.by === "link") {
    const link = paginate.next === undefined ? nextLink(headers.link ?? "") : valueAt(body, paginate.next);
    if (link === undefined || link === null || link === "") return undefined;
    if (typeof link !== "string") throw new StepFault(`paginate: page ${page} has no address at ${paginate.next}`);
    return isSameAddress(link, asked) ? "same" : { ...call, link: fromPage(link, asked) };
  }
  const { cursor, param } = paginate;
  const value = valueAt(body, cursor);
  if (value === undefined || value === null || value === "" || value === false) return undefined;
  if (typeof value === "object") throw new StepFault(`paginate: page ${page} has no single value at ${cursor}`);
  return value === call.params[param] ? "same" : { ...call, params: { ...call.params, [param]: value } };
}

/** The first page has no link, and a link may be relative, spelled otherwise, or without the connector's secret. */
const isSameAddress = (link: string, asked: string): boolean =>
  URL.canParse(link, asked) && comparable(new URL(link, asked)) === comparable(new URL(asked));

/** A relative link begins at its page. That of a path with a secret is not known here, so the first page's has to do. */
const fromPage = (link: string, asked: string): string =>
  URL.canParse(link, asked) && !new URL(asked).pathname.includes(REDACTED) ? new URL(link, asked).href : link;

function comparable(url: URL): string {
  const query = [...url.searchParams].filter(([, value]) => value !== REDACTED);
  url.search = new URLSearchParams(query).toString();
  url.searchParams.sort();
  url.hash = "";
  return url.href;
}

/** @throws {StepFault} */
function itemsOf({ by, collect }: Paginate, body: JsonValue, page: number): readonly JsonValue[] {
  const found = collect === undefined ? body : valueAt(body, collect) ?? null;
  if (Array.isArray(found)) return found;
  if (collect !== undefined && found !== null) throw new StepFault(`paginate: page ${page} has no list at ${collect}`);
  if (collect === undefined && by === "page") {
    throw new StepFault(`paginate: page ${page} is no list; collect names the list in it`);
  }
  return collect === undefined ? [found] : [];
}

function throwFault(error: unknown, page: number, most_bytes: number): never {
  if (!(error instanceof ConnectorFault)) throw error;
  const { kind, message, answer } = error;
  if (kind === "too_large") {
    throw new ConnectorFault(
      kind,
      `the pages are larger than ${most_bytes.toLocaleString("en")} bytes together`,
      answer,
    );
  }
  throw page === 1 ? error : new ConnectorFault(kind, `page ${page}: ${message}`, answer);
}
