/** A process whose compile worker, or its esbuild, runs an endless loop. It prints the worker's process id. */
import { setTimeout as pause } from "node:timers/promises";
import { print } from "../../stage/print.ts";
import { ESBUILD_LOOPS, LOOPS } from "./hostile.ts";
import { openCompiler } from "./scratch.ts";

const LOOPING = {
  vue: { honest: "<template>x</template>", looping: LOOPS },
  react: { honest: "export default () => 1", looping: ESBUILD_LOOPS },
};

const engine = Deno.args[0] === "vue" ? "vue" : "react";
const compiler = openCompiler({ time_limit_ms: 600_000 });
const compile = (source_code: string) => compiler.compile({ engine, css_engine: "none", source_code });
await compile(LOOPING[engine].honest);
const building = compile(LOOPING[engine].looping);
await pause(2000);
print(String(compiler.workers().at(-1)));
await building;
