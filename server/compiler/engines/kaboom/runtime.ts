/** Builds the runtimes of Kaboom and Kaplay, one file each: a game loads the one that it imports. */
import type { BuiltRuntime } from "../../protocol.ts";
import { bundleEntries } from "../../runtime/runtime.ts";
import { toolchainOf } from "../../toolchain.ts";

/** Never called. These imports make Deno fetch packages that are only read as files. */
export const keepsCached = [() => import("kaboom"), () => import("kaplay")];

/** Modules with declarations for editors only. The globals that they declare exist once a game has started. */
const TYPES_ONLY = { "kaboom/global": {}, "kaplay/global": {} };

export async function buildRuntime(): Promise<BuiltRuntime> {
  const { kaboom, kaplay } = toolchainOf("kaboom");
  const builds = [
    await bundleEntries(
      { kaboom: `export { default } from "kaboom";` },
      `/* kaboom ${kaboom}, MIT licence, https://kaboomjs.com */\n`,
    ),
    await bundleEntries(
      { kaplay: `export * from "kaplay"; export { default } from "kaplay";` },
      `/* kaplay ${kaplay}, MIT licence, https://kaplayjs.com */\n`,
    ),
  ];
  return {
    runtime: {
      modules: Object.assign({}, ...builds.map(({ runtime }) => runtime.modules), TYPES_ONLY),
      imports: Object.assign({}, ...builds.map(({ runtime }) => runtime.imports)),
      scripts: [],
    },
    files: builds.flatMap(({ files }) => files),
  };
}
