import assert from "node:assert/strict";
import { createJournal } from "./journal.ts";
import type { StepRecord } from "../model.ts";

const entry = (place: string, type = "connector"): StepRecord => ({
  place,
  id: place,
  type,
  name: null,
  status: "finished",
  input: null,
  output: place,
  http_status: null,
  warnings: [],
  error: null,
  attempts: 1,
  started_at: "2026-01-01T00:00:00.000+00:00",
  ms: 1,
});

function journalOf(kept: readonly StepRecord[]) {
  const written: [first: number, places: string[]][] = [];
  const journal = createJournal({
    kept,
    before: [],
    repetition: null,
    isCancelled: () => Promise.resolve(false),
    proveOwned: () => Promise.resolve(),
    keep(entries, first) {
      written.push([first, entries.map(({ place }) => place)]);
      return Promise.resolve();
    },
  });
  return { journal, written };
}

Deno.test("journal: kept entries are not written again, later ones are", async () => {
  const { journal, written } = journalOf([entry("a"), entry("b")]);
  assert.equal(journal.find("b")?.output, "b");
  for (const place of ["a", "b"]) journal.append(entry(place));
  await journal.keep();
  assert.deepEqual(written, []);
  journal.append(entry("c"));
  await journal.keep();
  assert.deepEqual(written, [[2, ["c"]]]);
  assert.equal(journal.kept(), 3);
});

Deno.test("journal: entries of a different path through the program are appended after the stored ones", async () => {
  const { journal, written } = journalOf([entry("a"), entry("b"), entry("c")]);
  for (const place of ["a", "other"]) journal.append(entry(place));
  await journal.keep();
  assert.deepEqual(written, [[3, ["other"]]]);
  assert.equal(journal.kept(), 4, "so many stand there, and are to be deleted");
});

Deno.test("journal: forks are listed in their order, written once, one write after the other", async () => {
  const { journal, written } = journalOf([entry("each"), entry("each.1.a")]);
  journal.append(entry("each"));
  const [first, second] = [journal.fork(), journal.fork()];
  second.append(entry("each.1.a"));
  second.append(entry("each.1.b"));
  const kept = second.keep();
  first.append(entry("each.0.a"));
  await Promise.all([kept, first.keep()]);
  journal.append(entry("after"));
  assert.deepEqual(journal.entries.map(({ place }) => place), ["each", "each.0.a", "each.1.a", "each.1.b", "after"]);
  assert.deepEqual(written.flatMap(([, places]) => places).toSorted(), ["each.0.a", "each.1.b"]);
  assert.equal(journal.kept(), 4);
});

Deno.test("journal: a step that the end of the run has interrupted is listed and not kept", async () => {
  const { journal, written } = journalOf([]);
  journal.append(entry("a"));
  journal.appendInterrupted({ ...entry("b", "record"), status: "error", error: "Cancelled" });
  await journal.keep();
  assert.deepEqual(journal.entries.map(({ place }) => place), ["a", "b"]);
  assert.deepEqual(written, [[0, ["a"]]]);
});

Deno.test("journal: a replay shows the entries that it has not come to", async () => {
  const { journal } = journalOf([entry("a"), entry("b"), entry("c")]);
  const seen = async () => (await journal.seen()).map(({ place }) => place);
  assert.deepEqual(await seen(), ["a", "b", "c"]);
  journal.append(entry("a"));
  const begun = entry("b");
  journal.begin(begun);
  assert.deepEqual(await seen(), ["a", "c", "b"]);
  journal.append(begun);
  assert.deepEqual(await seen(), ["a", "b", "c"]);
  journal.append(entry("other"));
  assert.deepEqual(await seen(), ["a", "b", "other"], "the path is another one");
});
