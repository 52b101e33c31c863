/** A new step asks for what is chosen from a list. Until it is chosen or the flow is saved, that is no mistake. */
import { type Json, type Path, valueAt } from "./json.ts";

const ASKS: Record<string, string> = {
  connector_code: "Choose a connector",
  method: "Choose a method",
  db_code: "Choose a database",
  flow_code: "Choose a flow",
};

/** What a step at the path still asks for; undefined where something was chosen. */
export function openChoice(program: Json, path: Path): string | undefined {
  const value = valueAt(program, path);
  return value === undefined || value === "" ? ASKS[String(path.at(-1))] : undefined;
}
