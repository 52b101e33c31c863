import type { Complaint } from "../check.svelte.ts";
import type { Path } from "../program/json.ts";

/** Keys of steps as people read them: `connector_code` is `Connector`. */
const WORDS: Record<string, string> = {
  connector_code: "Connector",
  db_code: "Database",
  flow_code: "Flow",
  table_name: "Table",
  record_id: "Record",
  as: "Name of the item",
};

export const labelOf = (key: string): string =>
  WORDS[key] ?? key.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());

/** What is wrong in a step, with the key that it is about: `Data is not used by get`. A choice to make names it itself. */
export function saidOf({ path, text, severity }: Omit<Complaint, "step">, step: Path): string {
  const key = path[step.length];
  if (severity === "todo" || typeof key !== "string") return text;
  return /^\p{Ll}/u.test(text) ? `${labelOf(key)} ${text}` : `${labelOf(key)}: ${text}`;
}
