/** A compiler with a vendor store in memory, closed at the end of its test. */
import type { Build, Source, VendorFile } from "../../server/compiler/compiler.ts";
import { type CompilerOptions, createCompiler } from "../../server/compiler/sandbox.ts";
import type { VendorStore } from "../../server/compiler/vendor.ts";
import { childEnvironment } from "../../server/config.ts";

export function memoryStore(): VendorStore & { files: Map<string, VendorFile> } {
  const files = new Map<string, VendorFile>();
  return {
    files,
    get: (file) => Promise.resolve(files.get(file)),
    put: (file, content) => {
      files.set(file, content);
      return Promise.resolve();
    },
  };
}

export interface Logged {
  event: string;
  detail: Record<string, unknown>;
}

export function openCompiler(options: Partial<CompilerOptions> = {}) {
  const logged: Logged[] = [];
  const log = {
    info(event: string, detail: Record<string, unknown> = {}) {
      logged.push({ event, detail });
    },
  };
  const environment = childEnvironment(Deno.env.toObject());
  const compiler = createCompiler({ vendor_store: memoryStore(), environment, workers: 1, log, ...options });
  /** Process ids of workers, in the order of their start. */
  const workers = () => logged.flatMap(({ detail: { pid }, event }) => event.endsWith("started") ? [Number(pid)] : []);
  return {
    ...compiler,
    svelte: (source_code: string, css_engine: Source["css_engine"] = "none"): Promise<Build> =>
      compiler.compile({ engine: "svelte", css_engine, source_code }),
    logged,
    workers,
    [Symbol.asyncDispose]: () => compiler.close(),
  };
}

/** The names that a vendor file exports. */
export function exportsOf({ body }: VendorFile): Set<string> {
  const text = new TextDecoder().decode(body);
  const [, list = ""] = /export\{([^}]*)\};?\s*$/.exec(text) ?? [];
  return new Set(list.split(",").map((part) => part.split(" as ").at(-1) ?? part));
}

/** What a compiled module imports: vendor file → names there. */
export function importsOf(code: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, list = "", file = ""] of code.matchAll(/import\{([^}]*)\}from"\/vendor\/([^"]+)"/g)) {
    const names = found.get(file) ?? new Set();
    for (const part of list.split(",")) names.add(part.split(" as ")[0] ?? part);
    found.set(file, names);
  }
  return found;
}
