/** The things of an account. */
import { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { THING_KINDS } from "./kinds/kinds.ts";
import type { Thing, ThingPage } from "./schema.ts";
import { compact, etagOf, keysOf, type Kind, KINDS, type Named } from "./thing.ts";

/** `nightly-2` stands before `nightly-10`. */
const natural = new Intl.Collator("en", { numeric: true });
export const byKey = (one: { key: string }, other: { key: string }): number =>
  natural.compare(one.key, other.key) || (one.key < other.key ? -1 : 1);

/** The keys of all things of a kind. */
export const readKeys = async (sql: Sql, account: number, kind: Kind): Promise<Map<string, Named>> =>
  keysOf(await THING_KINDS[kind].list(sql, account));

/** One page, by kind and key. */
export async function listThings(
  sql: Sql,
  account: number,
  { page, per_page, kind }: ThingPage,
): Promise<Json<Thing[]>> {
  const entries: { kind: Kind; key: string; id: string | number }[] = [];
  for (const one of kind === undefined ? KINDS : [kind]) {
    const keys = await readKeys(sql, account, one);
    entries.push(...[...keys].map(([key, { id }]) => ({ kind: one, key, id })).toSorted(byKey));
  }
  const chosen = entries.slice((page - 1) * per_page, page * per_page);
  const things = new Map<string | number, Thing>();
  for (const [one, group] of Map.groupBy(chosen, ({ kind }) => kind)) {
    const keys = new Map(group.map(({ id, key }) => [id, key]));
    for (const { id, value } of await THING_KINDS[one].read(sql, account, [...keys.keys()])) {
      const key = keys.get(id);
      if (key === undefined) continue;
      const compacted = compact(THING_KINDS[one], key, value);
      things.set(`${one} ${id}`, { kind: one, key, etag: etagOf(compacted), value: compacted as Thing["value"] });
    }
  }
  const found = chosen.flatMap(({ kind, id }) => things.get(`${kind} ${id}`) ?? []);
  return new Json(JSON.stringify(found), entries.length);
}
