/**
 * A compile worker: a process that reads requests on standard input and answers on standard output. It ends when its
 * input does, so it never outlives the server.
 */
import { cpuUsage } from "node:process";
import { readLines } from "../../input/lines.ts";
import { CPU_S } from "../protocol.ts";
import { answerRequests } from "./requests.ts";

/** Resident memory. The heap may take 256 MB; a worker that has grown beyond this is replaced. */
const RETIRE_BYTES = 220 * 1024 * 1024;

/** Half of the kernel's limit. The other half is for one more request, however long. */
const RETIRE_CPU_S = CPU_S / 2;

function isSpent(): boolean {
  const { user, system } = cpuUsage();
  return Deno.memoryUsage().rss > RETIRE_BYTES || (user + system) / 1e6 > RETIRE_CPU_S;
}

const encoder = new TextEncoder();

async function say(line: string) {
  let rest = encoder.encode(line + "\n");
  while (rest.length > 0) rest = rest.subarray(await Deno.stdout.write(rest));
}

// Standard output carries the answers, so whatever libraries print goes to standard error.
// deno-lint-ignore no-console
console.log = console.info = console.debug = console.error;

await answerRequests({ requests: readLines(Deno.stdin.readable), say, isSpent, end: () => Deno.exit(1) });
Deno.exit(0);
