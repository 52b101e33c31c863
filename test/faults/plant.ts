/** Plants faults: edits of lines in a copy of the source tree. */
import { TREE } from "./workers.ts";

export interface Edit {
  file: string;
  /** Text that occurs exactly once in the file. */
  find: string;
  put: string;
}

export interface Tree extends AsyncDisposable {
  path: string;
}

/** @throws {Error} if the text does not occur exactly once: the edit must be adapted to the changed source */
export function planted(text: string, { file, find, put }: Edit): string {
  if (text.split(find).length !== 2) throw new Error(`not once in ${file}: ${find}`);
  return text.replace(find, () => put);
}

/** @throws {Error} as {@linkcode planted} */
export async function plantedTree(edits: readonly Edit[]): Promise<Tree> {
  const texts = new Map<string, string>();
  for (const edit of edits) {
    const text = texts.get(edit.file) ?? await Deno.readTextFile(`${TREE}/${edit.file}`);
    texts.set(edit.file, planted(text, edit));
  }
  const path = await Deno.makeTempDir({ prefix: "atrium_planted_" });
  const parts = ["main.ts", "server", "db", "client", "test", "deno.json", "deno.lock"];
  const { success } = await new Deno.Command("cp", { args: ["-r", ...parts, path], cwd: TREE }).output();
  if (!success) throw new Error("the tree was not copied");
  for (const [file, text] of texts) await Deno.writeTextFile(`${path}/${file}`, text);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
