/**
 * How a server answers until all domains are loaded, which takes a third of the CPU time of a start. A request needs one or
 * two of them, and a hosted instance is started by a request that waits. The others are loaded after the first answer.
 */
import type { AnyTRPCRouter } from "@trpc/server";
import { unavailable } from "../errors.ts";
import { faultOf, type Log } from "../log.ts";
import { DOMAIN_NAMES, type DomainName, domainsAt, joined, loadDomain } from "../router.ts";
import { refuse, reported } from "./answers.ts";
import type { HttpContext } from "./http_context.ts";

export type Answerer = (context: HttpContext) => Response | Promise<Response>;

interface Options {
  /** Answers with the domains of the last `use`. */
  answer: Answerer;
  /** Is called with one more domain or several each time. */
  use: (router: AnyTRPCRouter) => void;
  /** Called once, when all domains are in use. */
  onAll: () => void;
  /** A module could not be loaded. Deno remembers that, so that only another instance can load it. */
  onBroken: (reason: string) => void;
  log: Log;
  loadOne?: typeof loadDomain;
}

/** Pauses before the first further domain and between domains, in which requests are answered. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MS = 10;

/** Loads the domains that may have a route at a request's path before it is answered. */
export function loadOnDemand({ answer, use, onAll, onBroken, log, loadOne = loadDomain }: Options): Answerer {
  let loaded: ReadonlyMap<DomainName, AnyTRPCRouter> = new Map();
  let is_loading_others = false;

  async function load(names: readonly DomainName[]): Promise<void> {
    const missing = names.filter((name) => !loaded.has(name));
    const routers = await Promise.all(missing.map(async (name) => [name, await loadOne(name)] as const));
    if (routers.every(([name]) => loaded.has(name))) return;
    const all = new Map([...loaded, ...routers]);
    use(joined(all));
    loaded = all;
  }

  /** One domain at a time. After a failure, the next answer begins again. */
  async function loadOthers(): Promise<void> {
    is_loading_others = true;
    try {
      await pause(FIRST_PAUSE_MS);
      for (const name of DOMAIN_NAMES) {
        if (loaded.has(name)) continue;
        await loadOne(name);
        await pause(PAUSE_MS);
      }
      await load(DOMAIN_NAMES);
      onAll();
    } catch (error) {
      log.error("domains were not loaded", faultOf(error));
      onBroken("domains were not loaded");
    } finally {
      is_loading_others = false;
    }
  }

  return async (context) => {
    try {
      await load(domainsAt(context.call.path));
    } catch (error) {
      onBroken("a domain was not loaded");
      return refuse(reported(unavailable("A part of the server could not be loaded", error), {}, context));
    }
    const response = await answer(context);
    if (!is_loading_others) void loadOthers();
    return response;
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
