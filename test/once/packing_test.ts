/** A server that was started from its sources packs itself, so that later starts take less time. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { findPacked } from "../../server/packed/packed.ts";
import { ask, emptyPlace, launch, stop } from "../stage/launch.ts";
import { until } from "../stage/until.ts";

const TREE = new URL("../../", import.meta.url);
/** What a server is started from. */
const SOURCES = ["main.ts", "deno.json", "deno.lock", "server", "db", "client", "docs"];

/** A server packs itself 40 s after its start. */
const PATIENCE_MS = 180_000;

Deno.test("packing: a server that runs from its sources packs them, and the next one starts from that", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "atrium_packing_" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  execFileSync("cp", ["-R", ...SOURCES, folder], { cwd: TREE });
  const tree = pathToFileURL(`${folder}/`);
  const packed = new URL("server/packed/dist/", tree);
  await Deno.remove(packed, { recursive: true }).catch(() => {});
  const place = stack.use(await emptyPlace());

  const first = stack.use(await launch(place.environment, tree));
  await until(
    () => first.logged().some(({ event }) => /packed$/.test(String(event))),
    "it has packed itself",
    PATIENCE_MS,
  );
  assert.ok(first.logged().some(({ event }) => event === "server_packed"), first.output());
  const { code, stderr } = await stop(first, "SIGTERM");
  assert.deepEqual([code, stderr], [0, ""]);

  const found = await findPacked(packed, tree);
  assert.ok(found.entry?.startsWith(packed.href), "it is of these sources");
  // A source that fails, of the same size and time: the packed server does not load it.
  const source = new URL("server/process/start.ts", tree);
  const { size, mtime } = await Deno.stat(source);
  await Deno.writeTextFile(source, "throw 1;".padEnd(size));
  await Deno.utime(source, mtime ?? 0, mtime ?? 0);
  const second = stack.use(await launch(place.environment, tree));
  assert.equal((await ask(`${second.url}/healthz`)).status, 200);
  assert.equal((await stop(second, "SIGTERM")).code, 0);

  // Another build, days later: a server that runs from the first one goes on loading its files.
  const age = async (...files: URL[]) => {
    const then = new Date(Date.now() - 2 * 86_400_000);
    for (const file of files) await Deno.utime(file, then, then);
  };
  const pack = () =>
    execFileSync(Deno.execPath(), ["run", "-A", "server/compiler/packed/build.ts"], { cwd: folder, stdio: "pipe" });
  const files = () => Array.from(Deno.readDirSync(packed), ({ name }) => new URL(name, packed));
  await age(...files());
  await Deno.copyFile(new URL("server/process/start.ts", TREE), source);
  await Deno.writeTextFile(source, "export const another = 1;\n", { append: true });
  // The file may come from a machine whose clock is ahead.
  const ahead = new Date(Date.now() + 86_400_000);
  await Deno.utime(source, ahead, ahead);
  pack();
  const entry = new URL(found.entry ?? "");
  assert.ok((await findPacked(packed, tree)).entry !== entry.href);
  assert.ok(Deno.statSync(entry).isFile, "it is kept for a day");
  await age(entry);
  pack();
  assert.ok(!files().some(({ href }) => href === entry.href), "it is removed after a day");
});
