import type { Toolchain } from "../engines/engine.ts";

/** The `platform` module that apps import to reach the server. */
export const platform: Toolchain = {
  packages: ["esbuild"],
  recipe: [
    "runtime/platform.ts",
    ...["platform", "platform_error", "action", "context", "db", "request", "subscribe", "waiting"]
      .map((name) => `../../client/app/${name}.js`),
  ],
};
