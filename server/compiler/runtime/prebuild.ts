/** `deno task build`: writes the runtimes that ship with this version into `prebuilt/`. */
import { RUNTIME_LOADERS } from "../engines/loaders.ts";
import { PREBUILT, type Prebuilt } from "../host/prebuilt.ts";
import { identityOf } from "../host/vendor.ts";
import type { RuntimeName } from "../protocol.ts";

/** Without Phaser, which few apps use and which would double the folder's 420 KB. */
export const SHIPPED = [
  "svelte",
  "vue",
  "react",
  "kaboom",
  "platform",
  "tailwind_all",
] as const satisfies RuntimeName[];

if (import.meta.main) {
  await Deno.remove(PREBUILT, { recursive: true }).catch(() => {});
  await Deno.mkdir(PREBUILT);
  for (const name of SHIPPED) await write(name);
  Deno.exit(0);
}

async function write(name: typeof SHIPPED[number]) {
  const module = await RUNTIME_LOADERS[name]?.();
  if (!module) throw new Error(`${name} has no runtime`);
  const { runtime, files } = await module.buildRuntime();
  for (const { file, brotli } of files) {
    await Deno.writeFile(new URL(`${file}.br`, PREBUILT), Uint8Array.fromBase64(brotli));
  }
  const listed = files.map(({ file, content_type }) => ({ file, content_type }));
  const prebuilt: Prebuilt = { identity: await identityOf(name), runtime, files: listed };
  await Deno.writeTextFile(new URL(`${name}.json`, PREBUILT), JSON.stringify(prebuilt) + "\n");
}
