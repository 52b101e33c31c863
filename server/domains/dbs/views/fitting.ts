/** Which parts of a view fit its table. A saved view outlives the fields that it names. */
import { type Fields, invalid, Refusal } from "../../../errors.ts";
import { type KnownTable, readFilter, readOrder } from "../../../store/store.ts";
import type { Settings, View } from "./schema.ts";

const OWN_FIELDS = ["id", "created_at", "updated_at"];
const NO_FIELD = "names no field of this table";

interface Fault {
  part: View["left_out"][number]["part"];
  field: string;
  /** The key of a refusal. */
  path: string;
  reason: string;
}

/** The settings without what does not fit, and what that is. */
export function fitting(table: KnownTable, { columns, filter, q, sort }: Settings) {
  const faults: Fault[] = [];
  const fits = (part: Fault["part"], field: string, path: string, reason: string | undefined) => {
    if (reason !== undefined) faults.push({ part, field, path, reason });
    return reason === undefined;
  };
  const settings: Settings = {
    columns: columns.filter(({ field }, i) =>
      fits("columns", field, `columns.${i}.field`, knows(table, field) ? undefined : NO_FIELD)
    ),
    filter: Object.fromEntries(
      Object.entries(filter).flatMap(([field, sent]) => {
        const kept = Object.entries(operatorsOf(sent)).filter(([operator, value]) =>
          fits(
            "filter",
            field,
            `filter.${field}.${operator}`,
            faultOf(() => readFilter(table, { [field]: { [operator]: value } })),
          )
        );
        return kept.length > 0 ? [[field, Object.fromEntries(kept)]] : [];
      }),
    ),
    q,
    sort: sort.split(",").filter((key) =>
      key !== "" && fits("sort", key.replace(/^-/, ""), "sort", faultOf(() => readOrder(table, key)))
    ).join(","),
  };
  return { settings, faults };
}

/** @throws {Refusal} 422 by part */
export function proveFitting(table: KnownTable, settings: Settings): void {
  const fields: Fields = {};
  for (const { path, reason } of fitting(table, settings).faults) fields[path] = [reason];
  for (const [i, { field, hidden, frozen }] of settings.columns.entries()) {
    const before = settings.columns.slice(0, i);
    if (before.some((one) => one.field === field)) fields[`columns.${i}.field`] = ["is given twice"];
    if (frozen && !hidden && before.some((one) => !one.frozen && !one.hidden)) {
      fields[`columns.${i}.frozen`] = ["must stand in front of the columns that scroll"];
    }
  }
  const order = settings.sort && faultOf(() => readOrder(table, settings.sort));
  if (order) fields.sort ??= [order];
  if (Object.keys(fields).length > 0) throw invalid(fields);
}

const knows = (table: KnownTable, field: string) => table.fields.has(field) || OWN_FIELDS.includes(field);

const operatorsOf = (sent: Settings["filter"][string]) =>
  typeof sent === "object" && sent !== null && !Array.isArray(sent) ? sent : { eq: sent };

/** What is wrong with a part of a list's parameters, without their name. */
function faultOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 400) throw error;
    return error.message.replace(/^(filter(\[[^\]]*\])+|sort):? /, "").replace(/( of this table): .*$/, "$1");
  }
}
