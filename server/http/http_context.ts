/** What handlers of HTTP requests use beyond a procedure's context. */
import type { Context, Services } from "../context.ts";
import type { OpeningCounter } from "../domains/apps/openings/counter.ts";
import type { Variants } from "./files/variants.ts";
import type { BodyDeadlines } from "./rest/body_deadlines.ts";
import type { PageCache } from "./pages/page_cache.ts";

/** Files that are the same for every caller, made at the first request for them. */
export interface Documents {
  find(name: string, make: () => Variants | Promise<Variants>): Promise<Variants>;
}

export interface HttpServices extends Services {
  pages: PageCache;
  documents: Documents;
  openings: OpeningCounter;
  body_deadlines: BodyDeadlines;
}

export type HttpContext = HttpServices & Context;

/** What the front door hands to Hono's `c.env`. */
export interface Env {
  Bindings: { context: HttpContext };
}

export function createDocuments(): Documents {
  const made = new Map<string, Promise<Variants>>();
  return {
    find(name, make) {
      const known = made.get(name);
      if (known) return known;
      const document = Promise.resolve().then(make);
      made.set(name, document);
      document.catch(() => made.delete(name));
      return document;
    },
  };
}
