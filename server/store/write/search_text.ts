/** The folded texts of a record, which `q` searches. */
import { fold } from "../../input/shapes.ts";
import type { KnownTable } from "../definition/table.ts";
import type { Changes } from "../definition/values.ts";

/** By position. A position whose field was removed, or is no longer a text, is empty. */
export const searchOf = (table: Pick<KnownTable, "searched" | "fields">, data: Changes): string[] =>
  table.searched.map((name) => isSearched(table, name) ? textAt(data, name) : "");

export const isSearched = ({ fields }: Pick<KnownTable, "fields">, name: string): boolean =>
  ["string", "text"].includes(fields.get(name)?.type ?? "");

export const textAt = (data: Changes, name: string) => Object.hasOwn(data, name) ? fold(String(data[name] ?? "")) : "";
