/** The folded texts of a record, which `q` and `contains` search. */
import { fold } from "../../input/shapes.ts";
import { isText, type KnownTable } from "../definition/table.ts";
import type { Changes } from "../definition/values.ts";

type Searched = Pick<KnownTable, "searched" | "fields">;

/** By position. A position whose field was removed, or is no longer a text, is empty. */
export const searchOf = (table: Searched, data: Changes): string[] =>
  table.searched.map((name) => isSearched(table, name) ? foldedAt(data, name) : "");

/** The texts that a change sets, with their positions from 1. */
export function searchChanges(table: Searched, changes: Changes): [position: number, text: string][] {
  return table.searched.flatMap((name, i): [number, string][] =>
    Object.hasOwn(changes, name) && isSearched(table, name) ? [[i + 1, foldedAt(changes, name)]] : []
  );
}

function isSearched({ fields }: Searched, name: string): boolean {
  const field = fields.get(name);
  return field !== undefined && isText(field);
}

const foldedAt = (data: Changes, name: string) => Object.hasOwn(data, name) ? fold(String(data[name] ?? "")) : "";
