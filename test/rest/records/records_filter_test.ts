/** Filters, orders, pages and searches of records, compared with an oracle in memory, with and without an index. */
import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { addDb, type Listed, type TestDb } from "../../stage/db.ts";
import {
  anyData,
  anySort,
  anyWanted,
  FIELDS,
  hasText,
  type Kept,
  listed,
  operatorsOf,
  parametersOf,
  SCHEMA,
  VALUES,
  type Wanted,
} from "../../stage/random/records_oracle.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const RECORDS = 60;
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? Date.now());

/** Creates a database of random records. @returns it with the records in memory */
async function fill(ask: Ask): Promise<{ db: TestDb; records: Kept[] }> {
  const db = await addDb(ask, SCHEMA);
  const operations = fc.sample(anyData, { numRuns: RECORDS, seed: SEED })
    .map((data) => ({ action: "create", record: { data } }));
  const { status, body } = await ask("POST", db.records().replace(".json", "/batch.json"), { json: { operations } });
  assert.equal(status, 200, JSON.stringify(body).slice(0, 500));
  const records = body.map(({ id }: Listed, i: number) => ({ id, data: operations[i]?.record.data }));
  return { db, records };
}

/** Compares ids. A failure shows the records' values, which can be read. */
function assertSame(
  actual: Listed[],
  expected: readonly Kept[],
  records: readonly Kept[],
  field: string,
  what: string,
) {
  const named = (list: readonly { id: string }[]) =>
    list.map(({ id }) => [id.slice(-4), records.find((record) => record.id === id)?.data[field]]);
  assert.deepEqual(named(actual), named(expected), `FUZZ_SEED=${SEED} ${what}`);
}

inAccount(
  "records: every operator on every type, with an index and without, finds what the oracle finds",
  async ({ ask }) => {
    const { db, records } = await fill(ask);
    const wanted: Wanted[] = Object.entries(FIELDS).flatMap(([field, type]) =>
      operatorsOf(field).flatMap((operator) => {
        const values = VALUES[type];
        // A third of a long pool of values, another third for each operator.
        const some = values.length < 10 ? values : values.filter((_, i) => i < 2 || i % 3 === operator.length % 3);
        if (operator === "in") {
          const lists = [values.slice(1, 4), [null, ...values.slice(-2)], [null]];
          // A text with a comma can only be sent as a list of parameters.
          const spread = values.includes("x,y") ? [[null, "x,y"]] : [];
          return [...lists, ...spread].map((values) => ({
            field,
            operator,
            values,
          }));
        }
        return some.map((value) => ({ field, operator, values: [value] }));
      })
    );
    assert.ok(wanted.length > 500);
    await inTurn(wanted, async (one) => {
      const { status, body } = await ask(
        "GET",
        db.records(`${new URLSearchParams([...parametersOf([one]), ["per_page", "500"]])}`),
      );
      const what = `${one.field} ${one.operator} ${JSON.stringify(one.values)}`;
      assert.equal(status, 200, `${what}: ${JSON.stringify(body)}`);
      assertSame(body, listed(records, [one]), records, one.field, what);
    });
  },
);

inAccount("records: several conditions, in any order, counted and paged, are as the oracle's", async ({ ask }) => {
  const { db, records } = await fill(ask);
  const request = fc.record({
    wanted: fc.array(anyWanted, { maxLength: 2 }).filter(([a, b]) => a?.field !== b?.field),
    sort: anySort,
    per_page: fc.integer({ min: 1, max: 30 }),
    page: fc.integer({ min: 1, max: 4 }),
    q: fc.option(fc.constantFrom("ada", "AD", "xxx", "%", "_", "\\", "ą", "😀"), { nil: undefined, freq: 2 }),
    flat: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ wanted, sort, per_page, page, q, flat }) => {
      const query: [string, string][] = [
        ...parametersOf(wanted),
        ["sort", sort],
        ["per_page", `${per_page}`],
        ["page", `${page}`],
        ["count", "true"],
        ...q === undefined ? [] : [["q", q] satisfies [string, string]],
      ];
      const { body, headers } = await ask(
        "GET",
        flat ? db.search(new URLSearchParams(query).toString()) : db.records(new URLSearchParams(query).toString()),
      );
      const found = q === undefined ? records : records.filter((record) => hasText(record, q));
      const all = listed(found, wanted, sort);
      assert.equal(headers.get("x-total-count"), `${all.length}`);
      assertSame(body, all.slice((page - 1) * per_page, page * per_page), records, sort.replace("-", ""), "");
    }),
    { numRuns: 150, seed: SEED },
  );
});

inAccount("records: `after` walks every row exactly once, in every order", async ({ ask }) => {
  const { db, records } = await fill(ask);
  const sorts = [...Object.keys(FIELDS), "id", "created_at", "updated_at"].flatMap((field) => [field, `-${field}`]);
  await inTurn(sorts, async (sort, i) => {
    const wanted: Wanted[] = i % 3 ? [] : [{ field: "n", operator: i % 2 ? "ne" : "gte", values: [0] }];
    const walked: Listed[] = [];
    let page: Listed[];
    do {
      const last = walked.at(-1);
      const more = [["sort", sort], ["per_page", "23"], ...last ? [["after", last.id]] : []];
      page = (await ask("GET", db.records(`${new URLSearchParams([...parametersOf(wanted), ...more])}`))).body;
      walked.push(...page);
    } while (page.length === 23);
    const field = sort.replace("-", "");
    assertSame(walked, listed(records, wanted, sort.replace("updated_at", "created_at")), records, field, sort);
  });
  const keys = Object.keys(FIELDS).map((field, i) => i % 2 ? field : `-${field}`);
  await inTurn(keys.map((key, i) => `${key},${keys[(i + 3) % keys.length]},-updated_at`), async (sort) => {
    const whole: Listed[] = (await ask("GET", db.records({ sort, per_page: "500" }))).body;
    const walked: Listed[] = [];
    while (walked.length < whole.length) {
      const after = walked.at(-1)?.id;
      const page = (await ask("GET", db.records({ sort, per_page: "23", ...after && { after } }))).body;
      assert.notEqual(page.length, 0, sort);
      walked.push(...page);
    }
    assert.deepEqual(walked.map(({ id }) => id), whole.map(({ id }) => id), `FUZZ_SEED=${SEED} ${sort}`);
  });
});

const STORIES: [language: string, story: string, q: string][] = [
  ["Polish", "Zażółć gęślą jaźń", "ŻÓŁĆ GĘŚ"],
  ["German", "Die Größe der Äpfel", "größe DER ä"],
  ["Greek", "Καλημέρα κόσμε", "ΚΑΛΗΜΈΡΑ"],
  ["Greek, whose words end in another sigma", "Η οδος προς τα πανω", "ΟΔΟΣ ΠΡΟΣ"],
  ["Greek, a part of a word", "ΜΕΣΟΣ ΟΡΟΣ", "μεσοσ ορος"],
  ["Russian", "Съешь ещё этих булок", "ЕЩЁ ЭТИХ"],
  ["Turkish", "Ağrı'da güneş var", "GÜNEŞ V"],
  ["Chinese", "我能吞下玻璃而不伤身体", "玻璃"],
  ["Japanese", "いろはにほへと ちりぬるを", "ほへ"],
  ["Korean", "다람쥐 헌 쳇바퀴에", "쳇바퀴"],
  ["Arabic", "صِف خَلقَ خَودٍ", "خَلقَ"],
  ["Hebrew", "דג סקרן שט בים", "סקרן"],
  ["Hindi", "ऋषियों को सताने वाले", "सताने"],
  ["Thai", "เป็นมนุษย์สุดประเสริฐ", "มนุษย์"],
  ["emoji", "family 👩‍👩‍👧 here", "👩‍👩‍👧"],
  ["letters in two code points", "cafe\u0301 society", "CAFÉ SOC"],
  ["a percent sign", "100% sure", "0% S"],
  ["an underscore", "snake_case", "E_C"],
  ["a backslash", "C:\\temp\\new", "\\TEMP\\"],
  ["quotes", `it's "so" \`far\``, `'S "SO" \``],
  ["a semicolon", "'; drop table records; --", "'; DROP"],
  ["one letter", "qwertz §", "§"],
  ["two spaces", "wide  gap", "E  G"],
];

inAccount(
  "records: q finds a part of a text in any language, whatever its case, and signs stand for themselves",
  async ({ ask, play }) => {
    const db = await addDb(ask, { fields: { title: "string", story: "text", n: "integer", day: "date" } });
    await inTurn(STORIES, async ([language, story], i) => {
      await db.create(i % 2 ? { title: story, n: 4711 } : { title: `in ${language}`, story, day: "2026-11-21" });
    });
    const found = (q: string, count: number, name: string): Scenario => ({
      name,
      method: "GET",
      path: db.search({ q }),
      status: 200,
      then({ body }) {
        assert.equal(body.length, count, JSON.stringify(body));
      },
    });
    await play([
      ...STORIES.map(([language, , q]) => found(q, 1, language)),
      found("%%", 0, "two percent signs are no wildcard"),
      found("s_ake", 0, "an underscore is no wildcard"),
      found("4711", 0, "a number is not searched"),
      found("2026", 0, "nor is a date"),
      found("in Polish in", 0, "two fields are not one text"),
      found("", STORIES.length, "nothing is in all of them"),
    ]);
    const { id } = await db.create({ title: "Changed", story: "before" });
    await ask("PATCH", db.record(id), { json: { record: { data: { story: "AFTERWARDS" } } } });
    await play([
      found("before", 0, "a text that was replaced is not found"),
      found("afterwards", 1, "what replaced it is"),
      found("changed", 1, "as is what stayed"),
    ]);
  },
);
