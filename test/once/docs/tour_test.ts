/** The commands of the tours and of the guides, run as a reader pastes them. */
import assert from "node:assert/strict";
import { childEnvironment } from "../../../server/config.ts";
import { startServer } from "../../stage/harness.ts";
import { freePort } from "../../stage/network/ports.ts";
import { type Block, readPage } from "./pages.ts";

const ADDRESS = "127.0.0.1:8000";
const TOKEN = "let-me-in-for-the-tour";
/** In this order: the tours come first, because the guides use what they create. */
const PAGES = ["README.md", "docs/tour.md", "docs/apps.md", "docs/databases.md", "docs/triggers.md"];
/** Commands that start servers or need other programs. */
const ELSEWHERE = /\bdeno(@\S+)? (task|test)\b/;

/** Makes a refused or unanswered request visible, wherever in a command it is. */
const CURL = `curl() { command curl --fail-with-body -S --max-time 60 "$@" || echo "@@refused" >&2; }`;

Deno.test("the tours and guides: every command works, and prints what its comment says", async () => {
  const port = freePort();
  const here = `127.0.0.1:${port}`;
  const server = await startServer({ ADMIN_TOKEN: TOKEN, EGRESS_ALLOW: here, BASE_URL: `http://${here}` });
  const listener = Deno.serve({ port, hostname: "127.0.0.1", onListen: () => {} }, server.handler);
  const folder = await Deno.makeTempDir({ prefix: "atrium_tour_" });
  try {
    const pages = await Promise.all(PAGES.map(readPage));
    const blocks = pages.flatMap(({ path, blocks }) => blocks.map((block) => ({ ...block, path })))
      .filter(({ info, text }) => info.split(" ")[0] === "sh" && !ELSEWHERE.test(text));
    assert.ok(blocks.length >= 15, "the commands are found");
    const script = [CURL, ...blocks.map(({ text }) => `${text}echo; echo "@@end" | tee /dev/stderr`)].join("\n");
    const { outputs, refusals } = await run(script.replaceAll(ADDRESS, here), folder);
    assert.equal(outputs.length, blocks.length, "every block is run");
    for (const [index, block] of blocks.entries()) {
      const output = outputs[index] ?? "";
      const place = `${block.path}:\n${block.text}\n${output}\n${refusals[index]}`;
      assert.equal(refusals[index]?.includes("@@refused"), block.info === "sh 422", place);
      for (const expected of expectationsOf(block)) assert.ok(output.includes(expected), `${expected}\n${place}`);
    }

    const program = (await readPage("docs/tour.md")).blocks.find(({ info }) => info === "ts");
    assert.ok(program, "docs/tour.md has a program");
    const client = new URL("../../../client/mod.ts", import.meta.url).href;
    const source = program.text.replace("./client/mod.ts", client).replaceAll(ADDRESS, here);
    await Deno.writeTextFile(`${folder}/tour.ts`, source);
    const printed = await runProgram(folder);
    assert.match(printed, /"Sales \(main\)"/);
    assert.match(printed, /My counter/);
  } finally {
    await listener.shutdown();
    await server.close();
    await Deno.remove(folder, { recursive: true });
  }
});

/** What stands behind `# →` must be in the block's output. */
const expectationsOf = ({ text }: Block) => [...text.matchAll(/# → (.+)$/gm)].map(([, expected = ""]) => expected);

/** @returns what each block wrote to standard output and to standard error */
async function run(script: string, cwd: string): Promise<{ outputs: string[]; refusals: string[] }> {
  const { stdout, stderr } = await new Deno.Command("bash", { args: ["-c", script], cwd, env: { NO_PROXY: "*" } })
    .output();
  const split = (bytes: Uint8Array) => new TextDecoder().decode(bytes).split("@@end\n").slice(0, -1);
  return { outputs: split(stdout), refusals: split(stderr) };
}

/** Runs `tour.ts` of the folder with the project's imports. */
async function runProgram(cwd: string): Promise<string> {
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net", "--allow-read", `--config=${config}`, "tour.ts"],
    cwd,
    env: { ...childEnvironment(Deno.env.toObject()), NO_COLOR: "1" },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
