/** Faults planted on purpose: a copy of the tree in which a line or two say something else. */
import { TREE } from "./workers.ts";

export interface Edit {
  file: string;
  /** Stands in the file once. */
  find: string;
  put: string;
}

export interface Tree extends AsyncDisposable {
  path: string;
}

/** @throws {Error} where the edit's text does not stand in its file exactly once: the plant must be made anew */
export function planted(text: string, { file, find, put }: Edit): string {
  if (text.split(find).length !== 2) throw new Error(`not once in ${file}: ${find}`);
  return text.replace(find, () => put);
}

/** @throws {Error} as {@linkcode planted} */
export async function plantedTree(edits: readonly Edit[]): Promise<Tree> {
  const path = await Deno.makeTempDir({ prefix: "atrium_planted_" });
  const parts = ["main.ts", "server", "db", "client", "test", "deno.json", "deno.lock"];
  const { success } = await new Deno.Command("cp", { args: ["-r", ...parts, path], cwd: TREE }).output();
  if (!success) throw new Error("the tree was not copied");
  for (const { file, find, put } of edits) {
    const text = await Deno.readTextFile(`${path}/${file}`);
    await Deno.writeTextFile(`${path}/${file}`, planted(text, { file, find, put }));
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
