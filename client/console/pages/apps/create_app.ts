/** Makes an app from a template, with the database that it needs. */
import type { Client } from "../../../mod.ts";
import type { StartDb, Template } from "./templates/template.ts";

export interface Wanted {
  name: string;
  /** Null: the app's address has its id. */
  url_code: string | null;
  /** The department of the app and of its database. */
  department_id: number | null;
}

/** What is being done, for the person who waits. */
export type Progress = "Loading" | "Making the database" | "Compiling";

/**
 * If the app is refused, the new database is deleted again.
 *
 * @returns the app's id
 * @throws what the server answered
 */
export async function createApp(
  client: Client,
  { app_engine, css_engine, public: is_public = false, load }: Template,
  { name, url_code, department_id }: Wanted,
  told: (progress: Progress) => void = () => {},
): Promise<string> {
  told("Loading");
  const { source_code, db } = await load();
  if (db) told("Making the database");
  const db_code = db ? await createDb(client, db, name, department_id) : null;
  try {
    told("Compiling");
    const app = { name, url_code, department_id, app_engine, css_engine, source_code, public: is_public, db_code };
    return (await client.apps.create.mutate({ app })).id;
  } catch (error) {
    // The reason why there is no app is worth more than the reason why its empty database stays.
    if (db_code) await client.dbs.delete.mutate({ db_code }).catch(() => {});
    throw error;
  }
}

async function createDb(client: Client, db: StartDb, name: string, department_id: number | null): Promise<string> {
  const { examples, ...definition } = db;
  const { code } = await client.dbs.create.mutate({ db: { ...definition, name, code: codeOf(name), department_id } });
  try {
    const operations = examples(new Date()).map((data) => ({
      action: "create" as const,
      record: { data, department_id },
    }));
    await client.records.batch.mutate({ db_code: code, operations });
    return code;
  } catch (error) {
    await client.dbs.delete.mutate({ db_code: code }).catch(() => {});
    throw error;
  }
}

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

/**
 * A code that cannot be guessed: public methods answer everyone who knows it. It is new, too, where another database has
 * the same name.
 */
function codeOf(name: string): string {
  const end = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  return `${slugOf(name).replaceAll("-", "_").slice(0, 80) || "db"}_${end}`;
}

/** The name in an address, as the server would write it; empty where it has no Latin letter and no digit. */
export const slugOf = (name: string): string =>
  name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[ßæœøłđ]/g, (letter) => LATIN[letter] ?? "")
    .replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 100).replace(/-+$/, "");

const LATIN: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d" };

/** The slug itself, or with the first number that no app of the list has: `board-2`. */
export async function freeAddress(client: Client, slug: string): Promise<string> {
  const apps = await client.apps.list.query({ q: slug, per_page: 500 });
  const taken = new Set(apps.map(({ url_code }) => url_code));
  for (let number = 1;; number++) {
    const code = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(code)) return code;
  }
}
