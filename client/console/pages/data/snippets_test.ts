/** Examples of a table's API. */
import { doesNotMatch, match } from "node:assert/strict";
import { appExample } from "./snippets.ts";
import { tablesOf } from "./tables.ts";

Deno.test("examples: an app's record has the required fields, and a script has no imports", () => {
  const required = (type: string) => ({ type, required: true });
  const fields = {
    a: "text",
    b: "text",
    c: "text",
    d: "text",
    e: "text",
    day: required("date"),
    n: required("number"),
  };
  const [table] = tablesOf({ fields });
  if (!table) throw new Error("no table");
  const open = { list: {}, create: {} };
  match(appExample("svelte", table, open), /^import \{ db \} from "platform";/);
  match(appExample("svelte", table, open), /create\(\{ .*day: "\d{4}-\d\d-\d\d", n: 1\.5 \}\)/);
  for (const engine of ["js", "html"]) match(appExample(engine, table, open), /^const \{ db \} = platform;/);
  doesNotMatch(appExample("svelte", table, { list: {} }), /create\(/);
  match(appExample("svelte", table, {}), /every call is refused/);
});
