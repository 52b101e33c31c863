import { deepEqual, equal } from "node:assert/strict";
import { fieldsOf, type Known, MODULE, namedAt, OF_DB, OF_USER } from "./platform_names.ts";

const known: Known = {
  db_code: "guest_book",
  fields: fieldsOf({ fields: { stars: { type: "integer", required: true }, day: "date" } }),
  actions: [],
};

Deno.test("editor: the types of a database's fields", () => {
  deepEqual(known.fields.slice(0, 2), [
    { name: "stars", kind: "property", type: ": number", says: "Field of the database: integer, required" },
    { name: "day", kind: "property", type: ": string | null", says: "Field of the database: date, as YYYY-MM-DD" },
  ]);
  deepEqual(
    fieldsOf({ tables: { a: { fields: { x: "boolean" } }, b: { fields: { y: "text" } } } }).map(({ name }) => name),
    ["x", "y", "id", "created_at", "updated_at"],
  );
  deepEqual([fieldsOf(null), fieldsOf({})], [[], []]);
});

Deno.test("editor: what a name is depends on the text before it", () => {
  const says = (before: string, name: string, imports = true) => namedAt(before, name, known, imports)?.type;
  equal(says("const a = await db('x').", "delete"), "(id: string): Promise<{ id }>");
  equal(says("if (user?.", "role"), ': "admin" | "manager" | "user" | "guest"');
  equal(says("await platform.", "db", false), "(code?: string): Database");
  equal(says("<p>{entry.", "stars"), ": number");
  equal(says("db().create({ ", "day"), ": string | null");
  equal(says("const x = ", "db"), "(code?: string): Database");
  equal(says("const x = ", "db", false), undefined);
  equal(says("const x = ", "stars"), undefined);
});

Deno.test("editor: the names are those that platform.d.ts declares", async () => {
  const declared = await Deno.readTextFile(new URL("../../../app/platform.d.ts", import.meta.url));
  const bodyOf = (name: string) =>
    new RegExp(`interface ${name}\\b[^{]*\\{([\\s\\S]*?)\\n  \\}`).exec(declared)?.[1] ?? "";
  const membersOf = (name: string) =>
    [...bodyOf(name).matchAll(/^ {4}(?:readonly )?(\w+)[(:]/gm)].map(([, member]) => member);
  const names = (list: typeof MODULE) => list.map(({ name }) => name).toSorted();
  deepEqual(names(OF_DB), membersOf("Database").toSorted());
  deepEqual(names(OF_USER), membersOf("AppUser").toSorted());
  const exported = [...declared.matchAll(/^ {2}export (?:function|const|class) (\w+)/gm)].map(([, name]) => name);
  deepEqual(names(MODULE), exported.toSorted());
});
