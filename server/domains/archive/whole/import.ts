/**
 * Makes an empty account the one of an archive, in one transaction: all of it or nothing. The definitions come first in
 * an archive. They are read as a whole, so that the apps are compiled before the transaction begins; everything else is
 * written as it arrives.
 */
import { CompileFailure } from "../../../compiler/compiler.ts";
import type { Context } from "../../../context.ts";
import { isKnownKey, refusalOfDatabase } from "../../../database/pg_errors.ts";
import type { Sql } from "../../../database/pool.ts";
import { badRequest, conflict, invalid, Refusal } from "../../../errors.ts";
import { deeperThan, DEPTH_LIMIT } from "../../../input/depth.ts";
import { mayTakeHost } from "../../account/host.ts";
import { NewApp } from "../../apps/schema.ts";
import { buildOf, type WeighedBuild } from "../../apps/weight.ts";
import { inTransaction } from "../transaction.ts";
import { RECORDS } from "./export.ts";
import { whenFree } from "./free_compiler.ts";
import { createIds } from "./ids.ts";
import type { Imported } from "./imported.ts";
import { LOGOS, restoreLogo } from "./logos.ts";
import { MANIFEST, type Manifest, parseManifest, restoreAccount } from "./manifest.ts";
import { faultOf, insertRows, type MovedTable, type Restoring, type Row } from "./moved.ts";
import { insertRecordLines } from "./records.ts";
import { sourceOf } from "./source.ts";
import { DEFINITIONS, HISTORY } from "./tables/tables.ts";
import { followRecords } from "./tables/triggers.ts";
import { type ArchivedFile, filesOf } from "./tar/read.ts";

/** Bytes of all definitions and logos, which are in memory at once. */
const MOST_DEFINITIONS = 128 * 1024 * 1024;

/** @throws {Refusal} 400, 408, 413 for the archive; 409 if the account is not empty; 422 by the name of a file */
export async function importAccount(ctx: Context, body: ReadableStream<Uint8Array>): Promise<Imported> {
  await proveEmpty(ctx.sql, ctx.viewer.account_id);
  const files = filesOf(sourceOf(ctx.config, body));
  const { manifest, definitions, next } = await readDefinitions(files);
  const builds = await compileApps(ctx, definitions);
  const imported = await inTransaction(ctx, async (ctx) => {
    const account = ctx.viewer.account_id;
    await ctx.sql`select set_config('idle_in_transaction_session_timeout', '60s', true)`;
    await proveEmpty(ctx.sql, account);
    const restoring: Restoring = {
      ctx,
      account,
      ids: createIds(),
      matched: new Set(),
      builds,
      has_runs: manifest.runs,
      result: { secrets: [], webhooks: [], users: [] },
    };
    const created: Record<string, number> = {};
    const write = async (file: ArchivedFile) => {
      const { folder, count } = await naming(file.name, () => writeFile(file, restoring));
      created[folder] = (created[folder] ?? 0) + count;
    };
    for (const file of definitions) await write(file);
    await naming(MANIFEST, async () => {
      const { host } = manifest.account;
      const is_free = host !== null && await mayTakeHost(ctx, host);
      await restoreAccount(ctx.sql, account, manifest, restoring.ids, is_free ? host : null);
    });
    if (next) await write(next);
    for await (const file of files) await write(file);
    await followRecords(restoring);
    const { secrets, webhooks, users } = restoring.result;
    for (const name of manifest.embedding_keys) secrets.push({ kind: "embedding_key", name });
    return { commits: true, result: { created, secrets, webhooks, users } };
  });
  forgetAll(ctx, [...builds.keys()]);
  return imported;
}

/** What this process remembers of an account that was empty. */
function forgetAll({ viewer: { account_id }, viewers, flows, pages }: Context, apps: readonly string[]): void {
  viewers.forget();
  flows.forget(account_id);
  pages.forgetEmbedding(account_id);
  pages.forgetHosts();
  for (const id of apps) pages.forget(id);
}

/** Users and the account's own settings may be there: every account has them. @throws {Refusal} 409 */
async function proveEmpty(sql: Sql, account: number): Promise<void> {
  const [row] = await sql<Record<string, boolean>[]>`
    select
      exists (select from departments where account_id = ${account}) as departments,
      exists (select from teams where account_id = ${account}) as teams,
      exists (select from groups where account_id = ${account}) as groups,
      exists (select from mailboxes where account_id = ${account}) as mailboxes,
      exists (select from connectors where account_id = ${account}) as connectors,
      exists (select from dbs where account_id = ${account}) as databases,
      exists (select from flows where account_id = ${account}) as flows,
      exists (select from apps where account_id = ${account}) as apps,
      exists (select from crons where account_id = ${account}) as triggers,
      exists (select from flow_processes where account_id = ${account}) as runs,
      exists (select from dashboards where account_id = ${account}) as dashboards
  `;
  const present = Object.entries(row ?? {}).filter(([, is_there]) => is_there).map(([name]) => name);
  if (present.length === 0) return;
  throw conflict(present, `An archive is imported into an empty account, and this one has ${present.join(", ")}`);
}

/** What is stored stands inside of rows, so it is nested deeper than in requests. */
const DEEPEST = 2 * DEPTH_LIMIT;

const FOLDERS = new Map([...DEFINITIONS, ...HISTORY].map((table) => [table.name, table]));
const isDefinition = (folder: string) => folder === LOGOS || DEFINITIONS.some(({ name }) => name === folder);

/** The first segment of a file's name. @throws {Refusal} 422 for a name that an archive does not have */
function folderOf(name: string): string {
  const [, folder = ""] = /^([a-z_]+)(?:\/[A-Za-z0-9_]+){0,2}\/[0-9a-z]+\.(?:ndjson|png|jpg|gif|webp)$/.exec(name) ??
    [];
  if (folder === LOGOS || folder === RECORDS || FOLDERS.has(folder)) return folder;
  throw invalid({ [name.slice(0, 300)]: ["is no file of an account's archive"] });
}

/** @throws {Refusal} 413 where they are too large to be held in memory */
async function readDefinitions(files: AsyncGenerator<ArchivedFile, void, undefined>) {
  const first = await files.next();
  if (first.done || first.value.name !== MANIFEST) {
    throw badRequest(`The archive of an account begins with ${MANIFEST}`);
  }
  const manifest: Manifest = parseManifest(parseJson(textOf(first.value.body, MANIFEST), MANIFEST));
  const definitions: ArchivedFile[] = [];
  let bytes = 0;
  for (;;) {
    const { value: file, done } = await files.next();
    if (done) return { manifest, definitions, next: undefined };
    if (!isDefinition(folderOf(file.name))) return { manifest, definitions, next: file };
    definitions.push(file);
    bytes += file.body.length;
    if (bytes > MOST_DEFINITIONS) {
      throw new Refusal(413, `The definitions up to ${file.name} are larger than ${MOST_DEFINITIONS} bytes`);
    }
  }
}

/** By the id of the app. @throws {Refusal} 422 for one that does not compile */
async function compileApps(ctx: Context, definitions: readonly ArchivedFile[]): Promise<Map<string, WeighedBuild>> {
  const builds = new Map<string, WeighedBuild>();
  const apps = FOLDERS.get("apps");
  for (const { name, body } of definitions) {
    if (!apps || folderOf(name) !== apps.name) continue;
    for (const [index, row] of rowsOf(apps, name, body).entries()) {
      try {
        const source = Source.parse(row);
        builds.set(String(row.id), await whenFree(() => buildOf(ctx, source)));
      } catch (error) {
        if (!(error instanceof CompileFailure)) throw error;
        throw invalid({
          [name]: [`line ${index + 1}: the app ${String(row.name)} does not compile: ${error.message}`],
        });
      }
    }
  }
  return builds;
}

const Source = NewApp.pick({ source_code: true, app_engine: true, css_engine: true });

async function writeFile({ name, body }: ArchivedFile, restoring: Restoring) {
  const folder = folderOf(name);
  if (folder === LOGOS) {
    await restoreLogo(restoring.ctx.sql, name, body);
    return { folder, count: 1 };
  }
  if (folder === RECORDS) {
    const lines = linesOf(textOf(body, name));
    return { folder, count: await insertRecordLines(name.slice(RECORDS.length + 1), lines, restoring) };
  }
  const table = FOLDERS.get(folder);
  if (!table) throw new Error("a folder has no table");
  return { folder, count: await insertRows(table, rowsOf(table, name, body), restoring) };
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

function rowsOf(table: MovedTable, name: string, body: Uint8Array): Row[] {
  return linesOf(textOf(body, name)).map((line, index) => {
    const where = `line ${index + 1}`;
    const row = parseJson(line, name, where);
    const refuse = (text: string) => invalid({ [name]: [`${where}: ${text}`] });
    if (typeof row !== "object" || row === null || Array.isArray(row)) throw refuse("must be a JSON object");
    try {
      const fault = faultOf(table, row as Row);
      if (fault !== undefined) throw refuse(fault);
    } catch (error) {
      throw error instanceof Refusal && !error.fields?.[name] ? refuse(error.message) : error;
    }
    return row as Row;
  });
}

/** @throws {Refusal} 422 */
function parseJson(text: string, name: string, where = "it"): unknown {
  if (deeperThan(text, DEEPEST)) throw invalid({ [name]: [`${where} is nested deeper than ${DEEPEST} levels`] });
  try {
    return JSON.parse(text);
  } catch {
    throw invalid({ [name]: [`${where} is not valid JSON`] });
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function textOf(body: Uint8Array, name: string): string {
  try {
    return decoder.decode(body);
  } catch {
    throw invalid({ [name]: ["is not valid UTF-8"] });
  }
}

/** Runs `work`; its refusals name the file. */
async function naming<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isKnownKey(error)) {
      throw conflict(
        name,
        `The file ${name} has apps, records or runs that this server has already`,
      );
    }
    const refusal = error instanceof Refusal ? error : refusalOfDatabase(error);
    if (refusal?.status !== 422 || refusal.fields?.[name]) throw error;
    const messages = Object.entries(refusal.fields ?? {})
      .flatMap(([field, all]) => all.map((message) => field === "base" ? message : `${field} ${message}`));
    throw invalid({ [name]: messages });
  }
}
