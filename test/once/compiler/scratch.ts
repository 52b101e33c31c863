/** A compiler with a vendor store in memory, closed at the end of its test. */
import { z } from "zod";
import type { Build, Source, VendorFile } from "../../../server/compiler/compiler.ts";
import { type CompilerOptions, createCompiler } from "../../../server/compiler/host/sandbox.ts";
import type { VendorStore } from "../../../server/compiler/host/vendor.ts";
import { childEnvironment } from "../../../server/config.ts";

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

/**
 * A store in a folder that all tests share, so that each runtime is built once. File names contain the hash of the
 * content or of the recipe, so no entry is ever outdated.
 */
export function sharedStore(): VendorStore & { files: Map<string, VendorFile> } {
  const memory = memoryStore();
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/atrium_vendor`;
  return {
    files: memory.files,
    async get(file) {
      const known = await memory.get(file);
      if (known) return known;
      const text = await Deno.readTextFile(`${folder}/${file}`).catch(() => undefined);
      if (text === undefined) return undefined;
      const { content_type, ...bodies } = Stored.parse(JSON.parse(text));
      const content = { content_type, ...mapBodies(bodies, (body) => Uint8Array.fromBase64(body)) };
      await memory.put(file, content);
      return content;
    },
    async put(file, { content_type, ...bodies }) {
      await memory.put(file, { content_type, ...bodies });
      await Deno.mkdir(folder, { recursive: true });
      const fresh = await Deno.makeTempFile({ dir: folder });
      await Deno.writeTextFile(
        fresh,
        JSON.stringify({ content_type, ...mapBodies(bodies, (body) => body.toBase64()) }),
      );
      await Deno.rename(fresh, `${folder}/${file}`);
    },
  };
}

/** Has the runtimes of the shared store and keeps new ones to itself, which a program in place of Deno may have built. */
export function apartStore(): VendorStore & { files: Map<string, VendorFile> } {
  const shared = sharedStore();
  const put = (file: string, content: VendorFile) => Promise.resolve(void shared.files.set(file, content));
  return { ...shared, put };
}

/**
 * Builds the runtimes of a Svelte app into the shared store. A build takes seconds and may replace the worker, so tests
 * that count workers or limit the wait for one call this first.
 */
export async function fillSharedStore() {
  await using compiler = openCompiler();
  await compiler.svelte("<p>text</p>");
}

const Stored = z.object({ content_type: z.string(), body: z.string(), brotli: z.string(), gzip: z.string() });

const mapBodies = <From, To>(
  { body, brotli, gzip }: Record<"body" | "brotli" | "gzip", From>,
  to: (body: From) => To,
) => ({
  body: to(body),
  brotli: to(brotli),
  gzip: to(gzip),
});

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
  const compiler = createCompiler({
    vendor_store: options.deno ? apartStore() : sharedStore(),
    environment,
    workers: 1,
    // The machine may be busy with other tests, and the same hostile source is compiled more than once.
    wait_ms: 300_000,
    refused_ms: 0,
    log,
    // Without shipped runtimes: these tests cover building them.
    prebuilt: () => Promise.resolve(undefined),
    ...options,
  });
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

/** The imports of a compiled module: vendor file → names. */
export function importsOf(code: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, list = "", file = ""] of code.matchAll(/import\{([^}]*)\}from"\/vendor\/([^"]+)"/g)) {
    const names = found.get(file) ?? new Set();
    for (const part of list.split(",")) names.add(part.split(" as ")[0] ?? part);
    found.set(file, names);
  }
  return found;
}
