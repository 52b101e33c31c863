/** Names that hold inside of a loop only. */
import type { JsonObject, JsonValue } from "../../../input/json_value.ts";

/** Restores what the names stood for before. The work sets them. */
export async function withNames<T>(scope: JsonObject, names: readonly string[], work: () => Promise<T>): Promise<T> {
  const outer = names.map((name): [string, JsonValue | undefined] => [name, scope[name]]);
  try {
    return await work();
  } finally {
    for (const [name, value] of outer) {
      if (value === undefined) delete scope[name];
      else scope[name] = value;
    }
  }
}
