/**
 * `deno task faults [--rounds=200] [--seed=1] [--embedded]`
 *
 * Kills, pauses and stops two workers on one PostgreSQL and one file of Deno KV (or one worker on the embedded database)
 * at random, and restarts PostgreSQL (immediate or fast) in each round, while runs are started and records are changed,
 * which a trigger delivers. Before that, on sites of their own: a process that is frozen inside a transaction, one with
 * another file of Deno KV, and a full disk. Prints figures and violations. Exits with 1 if there was a violation.
 */
import { startPostgres } from "../stage/postgres/postgres.ts";
import { print } from "../stage/print.ts";
import { addFigures, type Crew, launchCrew, noFigures, runRound } from "./round.ts";
import { seeded } from "./random.ts";
import { frozenInsideATransaction } from "./scenarios.ts";
import { type Base, dropBase, makeBase, openSite } from "./site.ts";
import { mountSmallDisk } from "./small_disk.ts";
import { fullDisk, startedWithAnotherKv } from "./store_scenarios.ts";

/** Room for the database and the file of Deno KV, and for little else. */
const DISK_MB = 64;

const option = (name: string, otherwise: number) =>
  Number(Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise);
const rounds = option("rounds", 200);
const seed = option("seed", 1);
const embedded = Deno.args.includes("--embedded");

async function run(base: Base | undefined): Promise<boolean> {
  await using site = await openSite(base);
  const crew: Crew = { ...await launchCrew(site, base ? 2 : 1), interrupt: postgres?.interrupt };
  if (base) {
    if (!held("a process frozen inside a transaction", await frozenInsideATransaction(site, undefined))) return false;
    if (!await storesHold(base)) return false;
  }
  const sum = noFigures();
  const began = performance.now();
  let done = 0;
  for (; done < rounds && sum.broken.length === 0; done++) {
    addFigures(sum, await runRound(crew, seeded(seed * 100_003 + done)));
    if (done % 20 === 19) print(`${done + 1} rounds, ${sum.acknowledged} runs acknowledged`);
  }
  const { acknowledged, changes, kills, pauses, stops, restarts, calls, repeated, mistaken, broken } = sum;
  print(`${done} rounds in ${Math.round((performance.now() - began) / 1000)} s, ${crew.workers.length} workers`);
  print(`runs acknowledged   ${acknowledged}`);
  print(`changes of records  ${changes}`);
  print(`kill -9             ${kills}`);
  print(`paused              ${pauses}`);
  print(`stopped in order    ${stops}`);
  print(`PostgreSQL restarted ${restarts}`);
  print(`calls of the oracle ${calls}, of them again ${repeated}`);
  print(`declared dead alive ${mistaken}`);
  print(`broken              ${broken.length}`);
  for (const what of broken) print(`  ${what}`);
  if (broken.length > 0) { for (const worker of crew.workers) print(notable(worker.output())); }
  return broken.length === 0;
}

function held(what: string, broken: readonly string[]): boolean {
  print(`${what}: ${broken.length === 0 ? "held" : broken.join("; ")}`);
  return broken.length === 0;
}

async function storesHold(base: Base): Promise<boolean> {
  {
    await using site = await openSite(base);
    if (!held("a process with another file of Deno KV", await startedWithAnotherKv(site))) return false;
  }
  await using disk = await mountSmallDisk(DISK_MB);
  if (!disk) {
    print("a full disk: skipped, because only root may mount a small one");
    return true;
  }
  await using site = await openSite(base, disk);
  return held("a full disk", await fullDisk(site, disk));
}

/** The end of a worker's log, without requests. */
const notable = (output: string) =>
  output.split("\n").filter((line) => !line.includes('"event":"request"')).slice(-40).join("\n");

// Stock durability: without it, PostgreSQL loses its last commits when it is stopped immediately.
const postgres = embedded ? undefined : await startPostgres();
if (!embedded && !postgres) {
  print("no PostgreSQL 14 or newer here; --embedded runs with one worker");
  Deno.exit(2);
}
const base = postgres && await makeBase(postgres.url());
const all_held = await run(base);
if (base) await dropBase(base);
await postgres?.stop();
Deno.exit(all_held ? 0 : 1);
