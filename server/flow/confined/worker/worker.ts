/**
 * A confined process: it evaluates expressions and code, each order in a realm of its own. It has no permission at all.
 * It ends when its input does.
 */
import { setImmediate } from "node:timers";
import vm from "node:vm";
import { readLines } from "../../../input/lines.ts";
import type { Order, Setup } from "../protocol.ts";
import { prelude, type Realm } from "./prelude.ts";

const encoder = new TextEncoder();

async function say(line: unknown) {
  let rest = encoder.encode(JSON.stringify(line) + "\n");
  while (rest.length > 0) rest = rest.subarray(await Deno.stdout.write(rest));
}

const PRELUDE = new vm.Script(`(${prelude})()`, { filename: "prelude" });

/** A realm without eval, and with nothing of this process in it. */
function realmOf({ names, now, seeds }: Order): { realm: vm.Context; ask: Realm } {
  const realm = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  const ask: Realm = PRELUDE.runInContext(realm);
  ask("begin", names, now, seeds);
  return { realm, ask };
}

/** Promises are settled by then: a realm has no timers. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

/** A program may have damaged its realm: then there is no more to say than that it failed. */
async function answer(ask: Realm): Promise<void> {
  if (ask("read") === "") await settled();
  try {
    const outcome = ask("read");
    const { stack, ...result } = outcome === ""
      ? { error: "returns a promise that is never settled" }
      : JSON.parse(outcome);
    const [, line, column] = /code:([1-9]\d{0,8}):([1-9]\d{0,8})$/.exec(stack ?? "") ?? [];
    const at = line ? { line: Number(line), column: Number(column) } : undefined;
    await say({ ...result, at, console: JSON.parse(ask("console")) });
  } catch {
    await say({ error: "failed", console: [] });
  }
}

async function perform(order: Order, jsonata: vm.Script): Promise<void> {
  const { realm, ask } = realmOf(order);
  if (order.kind === "expressions") {
    jsonata.runInContext(realm);
    for (const [index, expression] of order.expressions.entries()) {
      ask("reseed", order.seeds, order.first + index);
      ask("expression", expression);
      await answer(ask);
    }
    return;
  }
  try {
    new vm.Script(order.code, { filename: "code" }).runInContext(realm);
  } catch (error) {
    ask("failed", error);
    return await answer(ask);
  }
  ask("call");
  await answer(ask);
}

let jsonata: vm.Script | undefined;
for await (const line of readLines(Deno.stdin.readable)) {
  const given: Setup | Order = JSON.parse(line);
  if ("jsonata" in given) {
    jsonata = new vm.Script(given.jsonata, { filename: "jsonata" });
    await say("ready");
  } else if (jsonata) {
    await say("taken");
    await perform(given, jsonata);
    // After every promise of the program. One that goes on for ever keeps the process from saying so.
    await new Promise((resolve) => setImmediate(resolve));
    await say("rested");
  }
}
Deno.exit(0);
