/** What the commands ask of the server. */
import { readAnswer } from "../procedures.ts";
import type { Transport } from "../transport.ts";
import type { List } from "../types/index.d.ts";
import { Fault, type Files } from "./files.ts";
import { filesOf, type Thing } from "./folder.ts";

export interface Present extends Thing {
  etag: string;
}

export interface PlannedChange {
  kind: string;
  key: string;
  action: "create" | "change" | "rename" | "delete" | "keep";
  from: string | null;
  fields: string[];
  faults: Record<string, string[]>;
  warnings: Record<string, string[]>;
  /** As it is to be. */
  etag: string | null;
  webhook_url: string | null;
}

export interface Conflict {
  kind: string;
  key: string;
  server: { etag: string; value: Record<string, unknown> } | null;
}

export interface Plan {
  applied: boolean;
  changes: PlannedChange[];
  conflicts: Conflict[];
  unchanged: number;
}

export interface Push {
  things: { kind: string; key: string; value: Record<string, unknown>; renamed_from?: string | undefined }[];
  base: { kind: string; key: string; etag?: string; value?: Record<string, unknown> }[];
  delete: boolean;
  secrets: Record<string, string>;
}

const PER_PAGE = 100;
/** A server that sends further pages without an end is no Atrium. */
const MOST_PAGES = 1_000;
/** How often the list is read again if things are added or removed while it is read. */
const ATTEMPTS = 3;

/** Every thing of the account. @throws {Fault} where the answer is no such list */
export async function readThings(transport: Transport): Promise<Present[]> {
  for (let attempt = 1;; attempt++) {
    const things = await readOnce(transport);
    if (things) return things;
    if (attempt === ATTEMPTS) throw new Fault("the account changes all the time: try again");
  }
}

/** @returns undefined where a page has moved meanwhile: a thing that is missing would look like a deleted one */
async function readOnce(transport: Transport): Promise<Present[] | undefined> {
  const things = new Map<string, Present>();
  let total: unknown;
  for (let page = 1;; page++) {
    const address = `/account/archive.json?page=${page}&per_page=${PER_PAGE}`;
    const found = await transport.ask("GET", address, { repeat: "safe" }, readAnswer);
    if (!Array.isArray(found)) throw new Fault("the server has sent no list of things: is the address right?");
    const counted = (found as List<unknown>).total;
    total ??= counted;
    if (counted !== total) return undefined;
    for (const thing of found.map(thingOf)) things.set(`${thing.kind}/${thing.key}`, thing);
    if (page > MOST_PAGES) throw new Fault(`the server has sent more than ${MOST_PAGES * PER_PAGE} things`);
    if (found.length < PER_PAGE) return total === undefined || things.size === total ? [...things.values()] : undefined;
  }
}

/** @throws {Fault} */
function thingOf(sent: unknown): Present {
  const { kind, key, etag, value } = Object(sent);
  const is_thing = [kind, key, etag].every((text) => typeof text === "string") && typeof value === "object" &&
    value !== null && !Array.isArray(value);
  if (!is_thing) throw new Fault("the server has sent something that is no thing of an account");
  return { kind, key, etag, value };
}

/** A push that arrives twice finds everything as it shall be, so it may be repeated. */
export const push = async (transport: Transport, archive: Push & { dry_run: boolean }): Promise<Plan> =>
  await transport.value("POST", "/account/archive.json", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ archive }),
    repeat: "safe",
  }) as Plan;

/** @param known files that are there: they keep their endings */
export function filesOfAll(things: readonly Thing[], known: Files): Files {
  return new Map(things.flatMap((thing) => [...filesOf(thing, known)]));
}
