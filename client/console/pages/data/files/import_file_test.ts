/** The importer against a server that is a function: parts, mapping, what is rejected, and how an import goes on. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { previewOf } from "./file_rows.ts";
import { importFile, type Mapping, matching, NO_PROGRESS, type Progress, rejectedFile } from "./import_file.ts";

const FIELDS = [
  { name: "title", type: "string" as const, required: true },
  { name: "size", type: "integer" as const, required: false },
];

interface Part {
  address: string;
  lines: string[];
}
type Answer = (part: Part, index: number) => Response | Promise<Response>;
const created = (count: number, errors: { row: number; fields: Record<string, string[]> }[] = []) =>
  Response.json({ created: count - errors.length, errors });

/** Imports a file. @returns the parts that were sent, and each progress that was told */
async function run(content: string, {
  name = "a.csv",
  answer = ({ lines }: Part) => created(lines.length - Number(name.endsWith("csv"))),
  from = NO_PROGRESS,
  mapping,
  dry_run = false,
  control = new AbortController(),
}: {
  name?: string;
  answer?: Answer;
  from?: Progress;
  mapping?: Mapping;
  dry_run?: boolean;
  control?: AbortController;
} = {}) {
  const file = new File([content], name);
  const preview = await previewOf(file);
  const parts: Part[] = [];
  const told: Progress[] = [];
  const sent = {
    db_code: "shop",
    table_name: undefined,
    file,
    preview,
    fields: FIELDS,
    mapping: mapping ?? matching(preview.columns, FIELDS),
    dry_run,
    signal: control.signal,
    fetch: async (address: string, { body }: RequestInit) => {
      const part = { address, lines: String(body).trimEnd().split("\n") };
      parts.push(part);
      return await answer(part, parts.length - 1);
    },
    onprogress: (progress: Progress) => void told.push(progress),
  };
  const failure = await importFile(sent, from).then(() => undefined, (error: Error) => error.message);
  return { preview, parts, told, failure, last: told.at(-1) ?? NO_PROGRESS };
}

const csv = (count: number, line = (i: number) => `Title ${i},${i}`) =>
  `Title,Size\n${Array.from({ length: count }, (_, i) => `${line(i + 1)}\n`).join("")}`;

Deno.test("import: rows go in parts, by the fields of their columns; each part is told with its bytes", async () => {
  const { parts, told, last, failure } = await run(csv(1_100));
  equal(failure, undefined);
  deepEqual(parts.map(({ lines }) => [lines[0], lines.length - 1]), [
    ["title,size", 500],
    ["title,size", 500],
    ["title,size", 100],
  ]);
  equal(parts[2]?.lines[1], "Title 1001,1001");
  equal(parts[0]?.address, "/platform/dbs/shop/import.csv?");
  deepEqual(told.map(({ rows, created }) => [rows, created]), [[500, 500], [1_000, 1_000], [1_100, 1_100]]);
  equal(last.bytes, csv(1_100).length);
  const dry = await run(csv(1), { dry_run: true, mapping: { Size: "size" } });
  deepEqual(dry.parts, [{ address: "/platform/dbs/shop/import.csv?dry_run=true", lines: ["size", "1"] }]);
});

Deno.test("import: what the server or the file rejects has its number in the file, in order, in one list", async () => {
  const line = (i: number) => i === 2 ? "a,b,c" : `Title ${i},${i}`;
  const answer: Answer = ({ lines }) =>
    created(lines.length - 1, [{ row: 2, fields: { size: ["must be an integer"] } }, {
      row: 1,
      fields: { title: ["can't be blank"], size: ["is taken"] },
    }]);
  const { told, last, preview, parts } = await run(csv(600, line), { answer });
  deepEqual(last.rejected.map(({ number, reason }) => [number, reason]), [
    [1, "title can't be blank; size is taken"],
    [2, last.rejected[1]?.fault],
    [3, "size must be an integer"],
    [501, "title can't be blank; size is taken"],
    [502, "size must be an integer"],
  ]);
  ok(last.rejected[1]?.fault, "a row with more cells than the header is not sent");
  equal(parts[0]?.lines.length, 500, "a header and 499 rows");
  deepEqual([last.rows, last.created], [600, 595]);
  // A copy for each part is quadratic work where many are rejected.
  equal(told[0]?.rejected, told[1]?.rejected);
  const file = rejectedFile(preview, last.rejected);
  equal((await file.text()).split("\n")[1], "Title 1,1,1,title can't be blank; size is taken");
});

Deno.test("import: one that goes on skips the rows that were answered, and leaves the earlier progress as it was", async () => {
  const first = await run(csv(1_200), {
    answer: ({ lines }, index) =>
      index === 1
        ? Promise.reject(new TypeError("gone"))
        : created(lines.length - 1, [{ row: 7, fields: { size: ["x"] } }]),
  });
  equal(first.failure, "The server does not answer.");
  deepEqual([first.last.rows, first.last.created, first.last.unanswered], [500, 499, 500]);
  const answer: Answer = ({ lines }) => created(lines.length - 1, [{ row: 1, fields: { size: ["y"] } }]);
  const again = await run(csv(1_200), { answer, from: first.last });
  equal(again.parts[0]?.lines[1], "Title 501,501");
  deepEqual([again.last.rows, again.last.created, again.last.unanswered], [1_200, 499 + 698, 0]);
  deepEqual(again.last.rejected.map(({ number }) => number), [7, 501, 1_001]);
  deepEqual(first.last.rejected.map(({ number }) => number), [7]);
  deepEqual(NO_PROGRESS.rejected, []);
  // The rows whose fate is unknown are skipped, where the person says so.
  const skipped = await run(csv(1_200), { from: { ...first.last, rows: 1_000, unanswered: 0 } });
  equal(skipped.parts[0]?.lines[1], "Title 1001,1001");
  equal(skipped.last.rows, 1_200);
});

Deno.test("import: a refusal of a whole part ends it with the server's words, an answer in between with its status", async () => {
  const refused = await run(csv(3), { answer: () => Response.json({ error: "Not yours" }, { status: 403 }) });
  deepEqual([refused.failure, refused.told], ["Not yours", []]);
  const proxy = await run(csv(3), { answer: () => new Response("<html>", { status: 502 }) });
  deepEqual([proxy.failure, proxy.last.unanswered, proxy.last.rows], ["The server answers 502.", 3, 0]);
  const cut = await run(csv(3), { answer: () => new Response('{"created"') });
  deepEqual([cut.failure, cut.last.unanswered], ["The server answers 200.", 3]);
});

Deno.test("import: a column behind the preview is named, and mapped if a field is called like it", async () => {
  const lines = Array.from({ length: 30_000 }, (_, i) => `{"title":"n${i}"}\n`).join("");
  const content = `${lines}{"title":"last","Size":5,"other":1}\n{"title":"x","other":2}`;
  const { last, parts, preview } = await run(content, { name: "a.ndjson" });
  deepEqual([preview.columns, last.found], [["title"], ["Size", "other"]]);
  deepEqual(parts.at(-1)?.lines, ['{"data":{"title":"last","size":5}}', '{"data":{"title":"x","size":null}}']);
  const again = await run(content, { name: "a.ndjson", from: { ...last, rows: 30_000 } });
  deepEqual(again.last.found, ["Size", "other"], "once, although they are found again");
});

Deno.test("import: records of an export keep their departments", async () => {
  const content = '{"id":"x","data":{"title":"a"},"department_id":7}\n{"data":{"title":"b"},"department_id":null}\n' +
    '{"title":"c","department_id":7}';
  const { parts } = await run(content, { name: "a.ndjson" });
  deepEqual(parts.at(-1)?.lines, [
    '{"data":{"title":"a"},"department_id":7}',
    '{"data":{"title":"b"},"department_id":null}',
    '{"data":{"title":"c"}}',
  ]);
});

Deno.test("import: a stop ends it between two parts, and what was stored is told", async () => {
  const control = new AbortController();
  const answer: Answer = ({ lines }) => {
    control.abort(new Error("stopped by a person"));
    return created(lines.length - 1);
  };
  const { parts, last, failure } = await run(csv(1_200), { control, answer });
  deepEqual([failure, parts.length, last.rows, last.unanswered], ["stopped by a person", 1, 500, 0]);
});
