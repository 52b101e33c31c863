/** Installs an example of the gallery: its folder is pushed, and its records are loaded into empty databases. */
import { type Example, pathOf } from "../gallery/examples.ts";
import type { Row } from "../gallery/records.ts";
import type { Client } from "../mod.ts";
import { Fault, readFiles } from "../package/archive/files.ts";
import { thingsOf } from "../package/archive/folder.ts";

type Archive = Parameters<Client["archive"]["push"]["mutate"]>[0]["archive"];

const PER_PAGE = 100;
/** At most this many records are created by one request. */
const BATCH = 1_000;
const FIRST_PAUSE_MS = 50;

/**
 * Brings an example up to date. Its records are left alone where there are some.
 *
 * @param today the day that the dates of its records are relative to
 */
export async function putExample(
  client: Client,
  example: Example,
  today = new Date(),
): Promise<"created" | "updated" | "unchanged"> {
  const { things, faults } = thingsOf(await readFiles(pathOf(example)));
  if (faults.length > 0) throw new Fault(faults.join("\n"));
  const keys = new Set(things.map(({ kind, key }) => `${kind}/${key}`));
  const base = (await presentThings(client)).filter(({ kind, key }) => keys.has(`${kind}/${key}`));
  const { changes } = await client.archive.push.mutate({ archive: { things, base } as Archive });
  const has_loaded = await loadRecords(client, example.records(today));
  if (changes.length === 0 && !has_loaded) return "unchanged";
  const is_new = changes.every(({ action }) => action === "create");
  if (has_loaded) { for (const code of example.flows) await runFlow(client, code); }
  return is_new ? "created" : "updated";
}

/** What the account has, with the etags that make a push an update of it. */
async function presentThings(client: Client): Promise<{ kind: string; key: string; etag: string }[]> {
  const present = [];
  for (let page = 1;; page++) {
    const found = await client.archive.list.query({ page, per_page: PER_PAGE });
    present.push(...found.map(({ kind, key, etag }) => ({ kind, key, etag })));
    if (found.length < PER_PAGE) return present;
  }
}

/** @returns whether a database was empty */
async function loadRecords(client: Client, records: ReturnType<Example["records"]>): Promise<boolean> {
  const ids: Record<string, string[]> = {};
  for (const [db_code, rows] of Object.entries(records)) {
    if ((await client.records.list.query({ db_code, per_page: 1 })).length > 0) continue;
    const wanted = typeof rows === "function" ? rows(ids) : rows;
    if (wanted.length > 0) ids[db_code] = await create(client, db_code, wanted);
  }
  return Object.keys(ids).length > 0;
}

/** @returns the ids of the new records */
async function create(client: Client, db_code: string, rows: readonly Row[]): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < rows.length; start += BATCH) {
    const operations = rows.slice(start, start + BATCH).map((data) => ({
      action: "create" as const,
      record: { data },
    }));
    const created = await client.records.batch.mutate({ db_code, operations });
    ids.push(...created.map(({ id }) => id));
  }
  return ids;
}

/**
 * Runs a flow and waits for its end: a flow that calls others is answered as waiting.
 *
 * @throws {Fault} if the run has failed
 */
async function runFlow(client: Client, code: string): Promise<void> {
  const flow = (await client.flows.list.query({ q: code, per_page: 100 })).find((one) => one.code === code);
  if (!flow) throw new Fault(`the flow ${code} is not there`);
  const { flow_process_id: id, ...answer } = await client.flows.run.mutate({ id: flow.id });
  let run: { status: string; error?: string | null | undefined } = answer;
  for (let ms = FIRST_PAUSE_MS; run.status === "pending" || run.status === "waiting"; ms = Math.min(2 * ms, 2_000)) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    run = await client.flow_processes.find.query({ id });
  }
  if (run.status !== "finished") throw new Fault(`the flow ${code} has failed: ${run.error}`);
}
