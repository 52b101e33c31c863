/** The compressed bytes of the console: of its first load, of each page after it, and of what a page loads later. */
import type { TestServer } from "../../stage/harness.ts";

/** Bytes, as the server sends them with brotli. */
export interface PageBytes {
  /** The name of the page's component. */
  page: string;
  /** What opening the page loads after the first load. */
  bytes: number;
  chunks: number;
  /** Chunks that the page loads when they are needed: the editor, a tab. */
  later: { name: string; bytes: number }[];
}

export interface ConsoleBytes {
  first: number;
  first_chunks: number;
  pages: PageBytes[];
}

/** Imports that are loaded with a chunk. */
const STATIC = /(?:from|import)\s*"\.\/([^"]+-[A-Z0-9]{8}\.js)"/g;
/** Imports that are loaded when they are called. */
const DYNAMIC = /import\("\.\/([^"]+-[A-Z0-9]{8}\.js)"\)/g;

interface Chunk {
  bytes: number;
  needs: string[];
  calls: string[];
}

const namesOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);

/** Reads all chunks of the console, beginning with those of the first load. */
async function readChunks({ handler, base_url }: TestServer, first: readonly string[]): Promise<Map<string, Chunk>> {
  const chunks = new Map<string, Chunk>();
  const queue = [...first];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (chunks.has(name)) continue;
    const ask = (headers: HeadersInit) => handler(new Request(`${base_url}/console/${name}`, { headers }));
    const compressed = await ask({ "accept-encoding": "br" });
    if (!compressed.ok) throw new Error(`/console/${name} answered ${compressed.status}`);
    const text = await (await ask({ "accept-encoding": "identity" })).text();
    const chunk = {
      bytes: (await compressed.bytes()).length,
      needs: namesOf(text, STATIC),
      calls: namesOf(text, DYNAMIC),
    };
    chunks.set(name, chunk);
    queue.push(...chunk.needs, ...chunk.calls);
  }
  return chunks;
}

/** @param document the console's HTML, which names the files of the first load */
export async function weighConsole(server: TestServer, document: string): Promise<ConsoleBytes> {
  const first = new Set(
    [...document.matchAll(/"\/console\/([^"]+-[A-Z0-9]{8}\.(?:js|css))"/g)].map(([, name = ""]) => name),
  );
  const chunks = await readChunks(server, [...first]);
  const needed = (name: string, seen: Set<string>): Set<string> => {
    if (!seen.has(name)) chunks.get(seen.add(name) && name)?.needs.forEach((next) => needed(next, seen));
    return seen;
  };
  const bytesOf = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + (chunks.get(name)?.bytes ?? 0), 0);
  const callsOf = (names: Iterable<string>) => new Set([...names].flatMap((name) => chunks.get(name)?.calls ?? []));
  const nameOf = (file: string) => file.replace(/-[^-]*$/, "");
  const pages = callsOf(first);
  return {
    first: bytesOf(first),
    first_chunks: first.size,
    pages: [...pages].map((file) => {
      const own = needed(file, new Set()).difference(first);
      const later = callsOf(own).difference(pages);
      return {
        page: nameOf(file),
        bytes: bytesOf(own),
        chunks: own.size,
        later: [...later].map((name) => ({
          name: nameOf(name),
          bytes: bytesOf(needed(name, new Set()).difference(first).difference(own)),
        })),
      };
    }),
  };
}
