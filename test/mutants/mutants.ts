/**
 * Planted mistakes, as text patches. Each file of this folder has those of one part of the server:
 *
 * ```
 * file server/flow/run/execution/retry.ts
 * test server/flow/run/execution/retry_test.ts retry: the exact number
 *
 * # one attempt too many
 * -attempt >= retry.attempts
 * +attempt > retry.attempts
 * ```
 *
 * The text after `-` occurs once in the file and is replaced by that after `+`. `file` and `test` hold until the next
 * one. `test` names test files, each with a part of the names of the tests to run; one of them must fail.
 */
import type { Edit } from "../faults/plant.ts";

export interface NamedTest {
  file: string;
  /** Part of the tests' names; empty for all tests of the file. */
  filter: string;
}

export interface Mutant {
  name: string;
  edit: Edit;
  tests: NamedTest[];
}

const FOLDER = new URL("./", import.meta.url);
const TEST = /(\S+_test\.ts)((?: (?!\S+_test\.ts)\S+)*)/g;

export async function readMutants(): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  for await (const { name } of Deno.readDir(FOLDER)) {
    if (name.endsWith(".txt")) mutants.push(...parse(await Deno.readTextFile(new URL(name, FOLDER))));
  }
  return mutants;
}

function parse(text: string): Mutant[] {
  let file = "";
  let tests: NamedTest[] = [];
  let mutant: Mutant | undefined;
  const mutants: Mutant[] = [];
  const lines = { "-": [] as string[], "+": [] as string[] };
  const end = () => {
    if (!mutant) return;
    mutant.edit = { file: mutant.edit.file, find: lines["-"].join("\n"), put: lines["+"].join("\n") };
    mutants.push(mutant);
    mutant = undefined;
    lines["-"] = [];
    lines["+"] = [];
  };
  for (const line of text.split("\n")) {
    const [, word = "", rest = ""] = /^(file |test |# |[-+])(.*)$/.exec(line) ?? [];
    switch (word) {
      case "file ":
        end();
        file = rest;
        break;
      case "test ":
        end();
        tests = rest.matchAll(TEST).map(([, file = "", filter = ""]) => ({ file, filter: filter.trim() })).toArray();
        break;
      case "# ":
        end();
        mutant = { name: rest, edit: { file, find: "", put: "" }, tests };
        break;
      case "-":
      case "+":
        lines[word].push(rest);
    }
  }
  end();
  return mutants;
}
