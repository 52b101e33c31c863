/**
 * `deno task faults [--rounds=200] [--seed=1] [--embedded]`
 *
 * Kills, pauses and stops two workers on one PostgreSQL and one file of Deno KV (or one worker on the embedded database)
 * at random, and restarts PostgreSQL (immediate or fast) in each round, while runs are started. Prints figures and violations. Exits with 1 if there was a violation.
 */
import { startPostgres } from "../stage/postgres/postgres.ts";
import { print } from "../stage/print.ts";
import { addFigures, type Crew, launchCrew, noFigures, runRound, seeded } from "./round.ts";
import { frozenInsideATransaction } from "./scenarios.ts";
import { type Base, dropBase, makeBase, openSite } from "./site.ts";

const option = (name: string, otherwise: number) =>
  Number(Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise);
const rounds = option("rounds", 200);
const seed = option("seed", 1);
const embedded = Deno.args.includes("--embedded");

async function run(base: Base | undefined): Promise<boolean> {
  await using site = await openSite(base);
  const crew: Crew = { ...await launchCrew(site, base ? 2 : 1), interrupt: postgres?.interrupt };
  if (base) {
    const frozen = await frozenInsideATransaction(site, undefined);
    print(`a process frozen inside a transaction: ${frozen.length === 0 ? "held" : frozen.join("; ")}`);
    if (frozen.length > 0) return false;
  }
  const sum = noFigures();
  const began = performance.now();
  let done = 0;
  for (; done < rounds && sum.broken.length === 0; done++) {
    addFigures(sum, await runRound(crew, seeded(seed * 100_003 + done)));
    if (done % 20 === 19) print(`${done + 1} rounds, ${sum.acknowledged} runs acknowledged`);
  }
  const { acknowledged, kills, pauses, stops, restarts, calls, repeated, mistaken, broken } = sum;
  print(`${done} rounds in ${Math.round((performance.now() - began) / 1000)} s, ${crew.workers.length} workers`);
  print(`runs acknowledged   ${acknowledged}`);
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
const held = await run(base);
if (base) await dropBase(base);
await postgres?.stop();
Deno.exit(held ? 0 : 1);
