/** What the commands ask of the server. */
import type { Transport } from "../transport.ts";
import { type Files, filesOf, type Thing } from "./folder.ts";

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

/** Every thing of the account. */
export async function readThings(transport: Transport): Promise<Present[]> {
  const things: Present[] = [];
  for (let page = 1;; page++) {
    const address = `/account/archive.json?page=${page}&per_page=${PER_PAGE}`;
    const found = await transport.value("GET", address, { repeat: "safe" }) as Present[];
    things.push(...found);
    if (found.length < PER_PAGE) return things;
  }
}

export const push = async (transport: Transport, archive: Push & { dry_run: boolean }): Promise<Plan> =>
  await transport.value("POST", "/account/archive.json", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ archive }),
    repeat: archive.dry_run ? "safe" : "refused",
  }) as Plan;

/** @param known files that are there: they keep their endings */
export function filesOfAll(things: readonly Thing[], known: Files): Files {
  return new Map(things.flatMap((thing) => [...filesOf(thing, known)]));
}
