/** `pull`: brings a folder up to the server's state, and keeps what was changed here. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Transport } from "../transport.ts";
import { hostOf, readBase, writeBase } from "./base.ts";
import { Fault, type Files, placeFor, readFiles, removeFile, writeText } from "./files.ts";
import { type Thing, tidy, withEndingsOf } from "./folder.ts";
import { merge } from "./merge.ts";
import { filesOfAll, readThings } from "./server.ts";

export interface PullOptions {
  folder: string;
  url: string;
  /** Also writes the records of databases. */
  records: boolean;
}

/** @returns whether everything is in agreement */
export async function pull(
  transport: Transport,
  { folder, url, records }: PullOptions,
  say: (line: string) => void,
): Promise<boolean> {
  const things = await readThings(transport);
  const here = await readFiles(folder);
  const base = withEndingsOf(here, await readBase(folder, url));
  const there = filesOfAll(things, new Map([...base, ...here]));
  proveOneCase(here, there);
  let conflicts = 0;
  for (const path of [...new Set([...there.keys(), ...base.keys()])].toSorted()) {
    const done = settle(path, here.get(path), base.get(path), there.get(path), hostOf(url));
    if (!done) continue;
    if (done.text === undefined) await removeFile(folder, path);
    else if (done.text !== here.get(path)) await writeText(folder, path, done.text);
    if (done.says.startsWith("conflict")) conflicts++;
    say(`${done.says}  ${path}`);
  }
  await writeBase(folder, url, there);
  if (records) await writeRecords(transport, folder, things, say);
  if (conflicts > 0) say("Both sides have changed what is marked as a conflict: edit it, then push.");
  return conflicts === 0;
}

/** Some systems take `apps/Counter.json` for `apps/counter.json`: a pull would replace it. @throws {Fault} */
function proveOneCase(here: Files, there: Files): void {
  for (const path of here.keys()) {
    const lower = path.toLowerCase();
    if (lower !== path && there.has(lower)) throw new Fault(`${path}: must be called ${lower}, as on the server`);
  }
}

/** What becomes of a file. @returns undefined where nothing is to be done; a missing text deletes it */
function settle(
  path: string,
  here: string | undefined,
  base: string | undefined,
  there: string | undefined,
  host: string,
): { text?: string | undefined; says: string } | undefined {
  // What is only written differently is no change.
  const mine = here === undefined ? undefined : tidy(path, here, there ?? base);
  if (mine === there || there === base) return undefined;
  if (mine === base) {
    return { text: there, says: there === undefined ? "deleted " : here === undefined ? "created " : "updated " };
  }
  if (there === undefined) return { text: here, says: "conflict (changed here, deleted on the server)" };
  if (here === undefined) return { text: there, says: "conflict (deleted here, changed on the server)" };
  const { text, conflicts } = merge(base ?? "", mine ?? here, there, host);
  return { text, says: conflicts > 0 ? "conflict" : "merged  " };
}

/** A table's name becomes a file's. */
const TABLE = /^[\w-]{1,110}$/;

interface Schema {
  tables?: Record<string, unknown>;
}

/** `records/<database>/<table>.ndjson`, the oldest record first. */
async function writeRecords(
  transport: Transport,
  folder: string,
  things: readonly Thing[],
  say: (line: string) => void,
): Promise<void> {
  for (const { key, value } of things.filter(({ kind }) => kind === "db")) {
    const { tables } = (value.schema ?? {}) as Schema;
    for (const table of tables ? Object.keys(tables) : [undefined]) {
      const name = table ?? key;
      if (!TABLE.test(name)) throw new Fault(`the server has sent a table named ${name}`);
      const path = join("records", key, `${name}.ndjson`);
      const query = table === undefined ? "" : `?table_name=${encodeURIComponent(table)}`;
      const file = await open(await placeFor(folder, path), "w");
      try {
        await transport.ask(
          "GET",
          `/platform/dbs/${key}/export.ndjson${query}`,
          { repeat: "never" },
          async ({ body }) => {
            const reader = body?.getReader();
            for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
              await file.appendFile(part.value);
            }
          },
        );
      } finally {
        await file.close();
      }
      say(`records   ${path}`);
    }
  }
}
