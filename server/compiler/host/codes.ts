/** The compiled code of flows, by the hash of its source. */
import { LRUCache } from "lru-cache";
import { CompileFailure } from "../compiler.ts";
import { sha256 } from "../hash.ts";
import type { CostlySources } from "./costly_sources.ts";
import { startPatience } from "./patience.ts";
import type { Pool } from "./pool.ts";

interface Options {
  pool: Pool;
  costly: CostlySources;
  time_limit_ms: number;
  wait_ms: number;
}

/** Characters of code that are kept. */
const MOST_CHARACTERS = 8_000_000;

/** @returns compiles a source. @throws {CompileFailure | CompilerBusy} */
export function createCodes(
  { pool, costly, time_limit_ms, wait_ms }: Options,
): (source: string, account: number) => Promise<string> {
  const results = new LRUCache<string, string>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ length }) => length + 200,
  });
  const running = new Map<string, Promise<string>>();

  async function compile(source: string, account: number): Promise<string> {
    using patience = startPatience(wait_ms);
    const answer = await pool.perform({ job: "code", source }, account, time_limit_ms, patience.signal);
    if ("code" in answer) return answer.code;
    throw new CompileFailure("mistakes" in answer ? answer.mistakes : ["cannot be compiled"]);
  }

  return async (source, account) => {
    const key = `code ${await sha256(source)}`;
    const known = results.get(key) ?? running.get(key);
    if (known !== undefined) return known;
    costly.refuse(key);
    const compiling = compile(source, account).finally(() => running.delete(key));
    running.set(key, compiling);
    try {
      const code = await compiling;
      results.set(key, code);
      return code;
    } catch (error) {
      costly.note(key, error);
      throw error;
    }
  };
}
