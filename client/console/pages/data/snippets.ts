/** Examples of a table's API with its real fields. */
import type { Db, Field, Table } from "./tables.ts";

const SAMPLES: Record<Field["type"], string | number | boolean> = {
  string: "Ada",
  text: "Hello",
  integer: 3,
  number: 1.5,
  boolean: true,
  datetime: "2026-11-21T08:30:00Z",
  date: "2026-11-21",
  time: "08:30",
};

/** Required fields and the first others. */
function sampleOf({ fields }: Table): Record<string, string | number | boolean> {
  const chosen = fields.filter(({ required }, i) => required || i < 4);
  return Object.fromEntries(chosen.map(({ name, type }) => [name, SAMPLES[type]]));
}

const literal = (value: unknown): string => JSON.stringify(value);
/** As source code: `{ title: "Ada" }` */
const object = (data: Record<string, unknown>): string =>
  Object.keys(data).length === 0
    ? "{}"
    : `{ ${Object.entries(data).map(([name, value]) => `${name}: ${literal(value)}`).join(", ")} }`;
const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const NONE_OPEN = "// No public method of the database is open yet: every call is refused.";

/** How the source of an app uses its own database, within the methods that are open. A script has no imports. */
export function appExample(engine: string, table: Table, methods: Db["public_methods"]): string {
  const opened = engine === "js" || engine === "html" ? "const { db } = platform;" : 'import { db } from "platform";';
  const calls = [
    ...methods.list ? ['const records = await db().list({ sort: "-created_at" });'] : [],
    ...methods.create ? [`await db().create(${object(sampleOf(table))});`] : [],
    ...methods.list ? ["db().subscribe(({ kind, record }) => console.log(kind, record));"] : [],
  ];
  return [opened, "", ...Object.keys(methods).length > 0 ? calls : [NONE_OPEN]].join("\n");
}

export interface Snippet {
  title: string;
  language: string;
  code: string;
}

export const WAYS = { curl: "curl", fetch: "fetch", platform: "platform (apps)", client: "Typed client" } as const;
export type Way = keyof typeof WAYS;

export function snippetsOf(way: Way, db: Db, table: Table, origin: string): Snippet[] {
  const data = sampleOf(table);
  const first = table.fields.find(({ slot, type }) => slot && type !== "boolean") ?? table.fields[0];
  const filter = first ? { [first.name]: SAMPLES[first.type] } : {};
  const sort = first ? first.name : "-created_at";
  const more: Record<string, string> = table.name ? { table_name: table.name } : {};
  const builders: Record<Way, () => Snippet[]> = {
    curl: () => {
      const at = `"$ATRIUM/platform/dbs/${db.code}`;
      const query = [
        ...table.name ? [`table_name=${table.name}`] : [],
        ...Object.entries(filter).map(([name, value]) => `filter\\[${name}\\]=${encodeURIComponent(String(value))}`),
        `sort=${sort}`,
      ].join("&");
      const of_table = table.name ? `?table_name=${table.name}` : "";
      const auth = `\\\n  -H "Authorization: Bearer $TOKEN"`;
      const body = (record: unknown) =>
        `\\\n  -H "Content-Type: application/json" \\\n  -d ${inShell(JSON.stringify({ record }))}`;
      return [
        {
          title: "The address and a token",
          language: "sh",
          code: `ATRIUM=${origin}\nTOKEN=atr_…   # ${origin}/account/tokens`,
        },
        { title: "List", language: "sh", code: `curl -s ${at}/records.json?${query}" ${auth}` },
        { title: "Create", language: "sh", code: `curl -s ${at}/records.json" ${auth} ${body({ data, ...more })}` },
        {
          title: "Update",
          language: "sh",
          code: `curl -s -X PATCH ${at}/records/$ID.json" ${auth} ${
            body({ data: first ? { [first.name]: SAMPLES[first.type] } : {}, ...more })
          }`,
        },
        { title: "Delete", language: "sh", code: `curl -s -X DELETE ${at}/records/$ID.json${of_table}" ${auth}` },
        {
          title: "Export and import",
          language: "sh",
          code: `curl -s ${at}/export.csv${of_table}" ${auth} > ${
            table.name || db.code
          }.csv\ncurl -s ${at}/import.csv${of_table}" ${auth} \\\n  -H "Content-Type: text/csv" \\\n  --data-binary @${
            table.name || db.code
          }.csv`,
        },
        { title: "Follow the changes", language: "sh", code: `curl -sN ${at}/changes${of_table}" ${auth}` },
      ];
    },
    fetch: () => {
      const query = new URLSearchParams({
        ...more,
        sort,
        ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [`filter[${name}]`, String(value)])),
      });
      const headers = 'headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }';
      const url = `${origin}/platform/dbs/${db.code}`;
      return [
        {
          title: "List",
          language: "js",
          code:
            `const answer = await fetch("${url}/records.json?${query}", {\n  headers: { authorization: \`Bearer \${token}\` },\n});\nconst records = await answer.json();`,
        },
        {
          title: "Create",
          language: "js",
          code:
            `await fetch("${url}/records.json", {\n  method: "POST",\n  ${headers},\n  body: JSON.stringify({ record: { data: ${
              object(data)
            }${table.name ? `, table_name: ${literal(table.name)}` : ""} } }),\n});`,
        },
        {
          title: "Many at once, all or nothing",
          language: "js",
          code:
            `await fetch("${url}/records/batch.json", {\n  method: "POST",\n  ${headers},\n  body: JSON.stringify({\n    operations: [\n      { action: "create", record: { data: ${
              object(data)
            }${
              table.name ? `, table_name: ${literal(table.name)}` : ""
            } } },\n      { action: "delete", id },\n    ],\n  }),\n});`,
        },
      ];
    },
    platform: () => {
      const opened = Object.keys(db.public_methods);
      const note = opened.length > 0
        ? `// The database's public methods decide: ${opened.join(", ")} ${opened.length === 1 ? "is" : "are"} open.`
        : NONE_OPEN;
      const call = `const records = db(${literal(db.code)});`;
      return [
        {
          title: "List",
          language: "js",
          code:
            `// In js and html apps: const { db } = platform;\nimport { db } from "platform";\n\n${note}\n${call}\nconst found = await records.list({ sort: ${
              literal(sort)
            }, filter: ${object(filter)} });`,
        },
        {
          title: "Create, update, delete",
          language: "js",
          code: `const made = await records.create(${object(data)});\nawait records.update(made.id, ${
            object(filter)
          });\nawait records.delete(made.id);`,
        },
        {
          title: "Follow the changes",
          language: "js",
          code: "const stop = records.subscribe(({ kind, record }) => console.log(kind, record));",
        },
      ];
    },
    client: () => {
      const of_table = table.name ? `, table_name: ${literal(table.name)}` : "";
      return [
        {
          title: "Connect",
          language: "ts",
          code:
            `// In the server's source tree. Other programs have the package atrium-client: ${origin}/docs/client\nimport { createClient } from "./client/mod.ts";\n\nconst atrium = createClient({ url: ${
              literal(origin)
            }, token: "atr_…" });`,
        },
        {
          title: "List",
          language: "ts",
          code: `const records = await atrium.records.list.query({\n  db_code: ${
            literal(db.code)
          }${of_table},\n  filter: ${object(filter)},\n  sort: ${literal(sort)},\n});`,
        },
        {
          title: "Create",
          language: "ts",
          code: `const record = await atrium.records.create.mutate({\n  db_code: ${
            literal(db.code)
          },\n  record: { data: ${object(data)}${of_table} },\n});`,
        },
        {
          title: "Update and delete",
          language: "ts",
          code: `await atrium.records.update.mutate({ db_code: ${literal(db.code)}, id: record.id, record: { data: ${
            object(filter)
          } } });\nawait atrium.records.delete.mutate({ db_code: ${literal(db.code)}, id: record.id });`,
        },
      ];
    },
  };
  return builders[way]();
}
