/** Which changes of a database's feed a live list shows. */
import { deepEqual, equal } from "node:assert/strict";
import type { AnyFields, Change, Database, List, ListOptions, RecordOf } from "../types/index.d.ts";
import { type LiveRecords, liveRecords } from "./live_records.ts";

type Row = RecordOf<AnyFields>;

const row = (n: number, title = `Row ${n}`): Row => ({ id: `${n}`, title, created_at: "", updated_at: "" });
const listOf = (rows: Row[]): List<Row> => Object.assign(rows, { total: undefined });

/** A database of which the test answers each list and sends each change. */
function standIn() {
  let hear: (change: Change<AnyFields>) => void = () => {};
  const asked: ((rows: Row[]) => void)[] = [];
  const db: Pick<Database<AnyFields>, "list" | "create" | "subscribe"> = {
    list: () => new Promise((resolve) => asked.push((rows) => resolve(listOf(rows)))),
    create: (data) => Promise.resolve({ ...row(0), ...data }),
    subscribe: (listener) => {
      hear = listener;
      listener({ kind: "ready" });
      return () => {};
    },
  };
  return {
    /** How many lists have not been answered. */
    get waiting() {
      return asked.length;
    },
    open: (options?: ListOptions<AnyFields>): LiveRecords<AnyFields> => {
      const list = liveRecords(db as Database<AnyFields>, options);
      list.subscribe(() => {});
      return list;
    },
    tell: (kind: "create" | "update", record: Row) => hear({ kind, record }),
    /** Answers the next list that is asked for. */
    async answer(rows: Row[]): Promise<void> {
      const next = asked.shift();
      if (!next) throw new Error("no list was asked for");
      next(rows);
      await settled();
    },
  };
}

/** The promises of a list's answer are kept before the next task. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

const titles = (list: LiveRecords<AnyFields>) => list.get().records.map(({ title }) => title);
const rowsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => row(first + i));

Deno.test("a list with every record takes changes without asking again", async () => {
  const server = standIn();
  const list = server.open();
  await server.answer([row(1), row(2)]);
  server.tell("update", row(2, "changed"));
  server.tell("create", row(3));
  deepEqual([titles(list), server.waiting], [["Row 3", "Row 1", "changed"], 0]);
});

Deno.test("a change of a record on another page does not bring it into a full page", async () => {
  const server = standIn();
  const list = server.open();
  await server.answer(rowsFrom(1, 100));
  server.tell("update", row(400, "of page 4"));
  equal(titles(list).length, 100);
  await server.answer(rowsFrom(1, 100));
  deepEqual([titles(list)[0], titles(list).length, server.waiting], ["Row 1", 100, 0]);
});

Deno.test("a list that has grown to a full page asks the server which records belong to it", async () => {
  const server = standIn();
  const list = server.open();
  await server.answer(rowsFrom(1, 99));
  server.tell("create", row(0));
  deepEqual([titles(list).length, server.waiting], [100, 0]);
  server.tell("create", row(200));
  deepEqual([titles(list).length, server.waiting], [100, 1]);
  await server.answer([row(200), ...rowsFrom(0, 99)]);
  deepEqual([titles(list)[0], titles(list).length], ["Row 200", 100]);
});

Deno.test("a page with options: the record of another page stays away, a change during a read is read again", async () => {
  const server = standIn();
  const list = server.open({ page: 2, per_page: 2 });
  await server.answer([row(3), row(4)]);
  server.tell("update", row(1, "of page 1"));
  deepEqual(titles(list), ["Row 3", "Row 4"]);
  server.tell("update", row(4, "newer than the list"));
  await server.answer([row(3), row(4)]);
  equal(server.waiting, 1, "the answer may be older than the change");
  await server.answer([row(3), row(4, "newer than the list")]);
  deepEqual([titles(list), server.waiting], [["Row 3", "newer than the list"], 0]);
});

Deno.test("an own record is shown once, although the feed repeats it", async () => {
  const server = standIn();
  const list = server.open();
  await server.answer([row(1)]);
  const made = list.create({ title: "mine" });
  server.tell("create", row(0, "mine"));
  equal((await made).title, "mine");
  deepEqual(titles(list), ["mine", "Row 1"]);
});
