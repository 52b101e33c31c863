/**
 * `deno task mutants [--workers=2] [--only=<part of a name or of a file>]`
 *
 * Plants each mistake in a copy of the tree, and runs the tests that must notice it, on the embedded database. Prints the
 * mistakes that survive, and exits with 1 if there are any. The tests must pass without mistakes: run the gate first.
 */
import { planted, plantedTree } from "../faults/plant.ts";
import { print } from "../stage/print.ts";
import { type Mutant, type NamedTest, readMutants } from "./mutants.ts";

const option = (name: string) => Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const only = option("only") ?? "";
const workers = Number(option("workers") ?? 2);

/** A mistake may make a test hang. */
const LIMIT_MS = 300_000;

type Verdict = "caught" | "hung" | "survived" | "broken";

async function run(tree: string, { file, filter }: NamedTest): Promise<Verdict> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const args = ["test", "-A", "--no-check", "--lock=test/deno.lock", ...filter ? [`--filter=${filter}`] : [], file];
  const command = new Deno.Command(Deno.execPath(), {
    args,
    cwd: tree,
    env: { NO_COLOR: "1", TEST_DATABASE: "embedded" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: limit,
  });
  const { success, stdout, stderr } = await command.output();
  if (limit.aborted) return "hung";
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (success) return "survived";
  // A mistake that is no program is noticed by the compiler, not by a test.
  return /could not be parsed|does not provide an export/.test(output) ? "broken" : "caught";
}

async function judge(tree: string, { edit, tests }: Mutant): Promise<Verdict> {
  const path = `${tree}/${edit.file}`;
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, planted(text, edit));
  try {
    let verdict: Verdict = "survived";
    for (const test of tests) {
      verdict = await run(tree, test);
      if (verdict !== "survived") return verdict;
    }
    return verdict;
  } finally {
    await Deno.writeTextFile(path, text);
  }
}

const waiting = (await readMutants()).filter(({ name, edit }) => `${edit.file} ${name}`.includes(only));
const total = waiting.length;
const left: string[] = [];
let done = 0;

async function work(): Promise<void> {
  await using tree = await plantedTree([]);
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const verdict = await judge(tree.path, mutant);
    const line = `${verdict.padEnd(9)} ${mutant.edit.file}: ${mutant.name}`;
    print(`${++done}/${total} ${line}`);
    if (verdict === "survived" || verdict === "broken") left.push(line);
  }
}

await Promise.all(Array.from({ length: workers }, work));
print(`\n${total - left.length} of ${total} mistakes were caught`);
for (const line of left) print(line);
Deno.exit(left.length === 0 ? 0 : 1);
