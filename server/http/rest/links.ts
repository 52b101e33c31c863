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
  const links = [to("first", 1)];
  if (page > 1) links.push(to("prev", Math.min(page - 1, last)));
  if (page < last) links.push(to("next", page + 1));
  return [...links, to("last", last)].join(", ");
}
