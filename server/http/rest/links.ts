/** RFC 8288 links of a list to its other pages. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import type { Call } from "../../viewer.ts";
import { type Parameter, parametersOf, written } from "./parameters.ts";

/** The header `Link`; undefined for a list that is not counted and has no further page. */
export function linksOf(
  { config }: Pick<Context, "config">,
  { path, request }: Call,
  list: Json<unknown>,
): string | undefined {
  if (list.total === undefined && !list.more) return undefined;
  const sent = parametersOf(request.url);
  const valueOf = (key: string) => sent.find(([name]) => name === key)?.[1];
  const page = Number(valueOf("page") ?? 1);
  const per_page = Number(valueOf("per_page") ?? 100);
  const last = Math.max(1, Math.ceil((list.total ?? 0) / per_page));
  const begins_after = valueOf("after") !== undefined;
  const rest = sent.filter(([name]) => name !== "after");
  const to = (...pages: [rel: string, number: number][]) => {
    const [before, behind] = around(rest, "page");
    return pages.map(([rel, number]) => `<${config.base_url}${path}?${before}${number}${behind}>; rel="${rel}"`);
  };
  const after = (id: string, parameters: readonly Parameter[]) => {
    const [before, behind] = around(parameters, "after");
    return `<${config.base_url}${path}?${before}${id}${behind}>; rel="next"`;
  };
  if (typeof list.more === "string") return after(list.more, rest);
  if (!begins_after && list.total === undefined) return to(["next", page + 1]).join();
  if (begins_after) {
    // With keyset pagination the number of the page is unknown: the next one begins after the last row.
    const rows = list.parse() as { id?: string }[];
    const behind = list.more ?? rows.length === per_page ? rows.at(-1)?.id : undefined;
    if (list.total === undefined) return behind === undefined ? undefined : after(behind, rest);
    const next = behind === undefined ? [] : [after(behind, rest.filter(([name]) => name !== "page"))];
    return to(["first", 1], ["last", last]).toSpliced(1, 0, ...next).join(", ");
  }
  const others: [string, number][] = [["first", 1]];
  if (page > 1) others.push(["prev", Math.min(page - 1, last)]);
  if (page < last) others.push(["next", page + 1]);
  others.push(["last", last]);
  return to(...others).join(", ");
}

/** The query before and behind the value of a parameter, which takes the place that it has, or the last one. */
function around(parameters: readonly Parameter[], key: string): [string, string] {
  const at = parameters.findIndex(([name]) => name === key);
  const before = at === -1 ? parameters : parameters.slice(0, at);
  const behind = at === -1 ? [] : parameters.slice(at + 1).filter(([name]) => name !== key);
  return [
    before.map((parameter) => `${written(parameter)}&`).join("") + `${key}=`,
    behind.map((parameter) => `&${written(parameter)}`).join(""),
  ];
}
