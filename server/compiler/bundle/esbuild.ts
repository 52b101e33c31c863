/** esbuild for the compilation of apps. A compile worker has its process; a thread, which may start none, its WebAssembly. */
import type * as esbuild from "esbuild";

type Esbuild = Pick<typeof esbuild, "build" | "transform" | "stop"> & { begin(): Promise<void> };

export const { build, transform, stop, begin }: Esbuild = "WorkerGlobalScope" in globalThis
  ? await inThread()
  : await inProcess();

async function inProcess(): Promise<Esbuild> {
  const { build, transform, stop, initialize } = await import("esbuild");
  return { build, transform, stop, begin: () => initialize({}) };
}

async function inThread(): Promise<Esbuild> {
  const { build, transform, stop, initialize } = await import("esbuild-wasm/esm/browser.js");
  const binary = new URL("../esbuild.wasm", import.meta.resolve("esbuild-wasm/esm/browser.js"));
  const wasmModule = await WebAssembly.compile(await Deno.readFile(binary));
  return { build, transform, stop, begin: () => initialize({ wasmModule, worker: false }) };
}
