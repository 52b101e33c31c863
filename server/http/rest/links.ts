/** RFC 8288 links of a list to its other pages. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import type { Call } from "../../viewer.ts";
import { queryOf } from "../address.ts";

/** The header `Link`; undefined for a list that is not counted and has no further page. */
export function linksOf(
  { config }: Pick<Context, "config">,
  { path, request }: Call,
  list: Json<unknown>,
): string | undefined {
  if (list.total === undefined && !list.more) return undefined;
  const searchParams = queryOf(request.url);
  const page = Number(searchParams.get("page") ?? 1);
  const per_page = Number(searchParams.get("per_page") ?? 100);
  const last = Math.max(1, Math.ceil((list.total ?? 0) / per_page));
  const begins_after = searchParams.has("after");
  searchParams.delete("after");
  const link = (rel: string, key: string, value: string | number) => {
    searchParams.set(key, String(value));
    return `<${config.base_url}${path}?${searchParams}>; rel="${rel}"`;
  };
  const to = (rel: string, number: number) => link(rel, "page", number);
  if (typeof list.more === "string") return link("next", "after", list.more);
  if (!begins_after && list.total === undefined) return to("next", page + 1);
  if (begins_after) {
    // With keyset pagination the number of the page is unknown: the next one begins after the last row.
    const rows = list.parse() as { id?: string }[];
    const behind = list.more ?? rows.length === per_page ? rows.at(-1)?.id : undefined;
    if (list.total === undefined) return behind === undefined ? undefined : link("next", "after", behind);
    const ends = [to("first", 1), to("last", last)];
    searchParams.delete("page");
    return ends.toSpliced(1, 0, ...behind === undefined ? [] : [link("next", "after", behind)]).join(", ");
  }
  const others: [string, number][] = [["first", 1]];
  if (page > 1) others.push(["prev", Math.min(page - 1, last)]);
  if (page < last) others.push(["next", page + 1]);
  others.push(["last", last]);
  const [before, behind] = aroundPage(`${config.base_url}${path}?`, searchParams);
  return others.map(([rel, number]) => `<${before}${number}${behind}>; rel="${rel}"`).join(", ");
}

/** The address before and behind the number of the page. Writing the whole query for each link took 5 µs of a list. */
function aroundPage(address: string, searchParams: URLSearchParams): [string, string] {
  searchParams.set("page", "0");
  const query = searchParams.toString();
  const at = (query.startsWith("page=0") ? 0 : query.indexOf("&page=0") + 1) + "page=".length;
  return [address + query.slice(0, at), query.slice(at + 1)];
}
