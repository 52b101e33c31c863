/** What a push means for each thing: what the caller wants, compared with its base and with what is stored. */
import type { Sql } from "../../database/pool.ts";
import { type Fields, invalid, Refusal } from "../../errors.ts";
import { THING_KINDS } from "./kinds/kinds.ts";
import { byKey, readKeys } from "./list.ts";
import type { Conflict, PlannedChange, Push } from "./schema.ts";
import { compact, etagOf, type Kind, KINDS, readValue, same, type Stored, type Value } from "./thing.ts";

/** A thing that is to be written. */
export interface Task extends Pick<PlannedChange, "kind" | "key" | "action" | "from" | "fields" | "faults" | "etag"> {
  /** Undefined for a new thing. */
  stored?: Stored | undefined;
  /** Undefined for a deletion, and where the value has faults. */
  value?: Value | undefined;
}

export interface Decisions {
  tasks: Task[];
  conflicts: Conflict[];
  unchanged: number;
}

type Wanted = Push["things"][number];

/** A thing that is there. */
interface Present {
  stored: Stored;
  compacted: Value;
  etag: string;
}

const ORDER = { rename: 0, change: 1, create: 2, delete: 3, keep: 4 };

export async function decide(sql: Sql, account: number, push: Push): Promise<Decisions> {
  proveOnce(push.things, "things");
  proveOnce(push.base, "base");
  const decisions: Decisions = { tasks: [], conflicts: [], unchanged: 0 };
  for (const kind of KINDS) await decideKind(sql, account, kind, push, decisions);
  return decisions;
}

async function decideKind(sql: Sql, account: number, kind: Kind, push: Push, decisions: Decisions): Promise<void> {
  const wanted = push.things.filter((thing) => thing.kind === kind).toSorted(byKey);
  const recorded = push.base.filter((thing) => thing.kind === kind);
  if (wanted.length + recorded.length === 0) return;
  const keys = [...wanted.flatMap(namesOf), ...recorded.map(({ key }) => key)];
  const present = await readPresent(sql, account, kind, keys);
  const base = new Map(recorded.map((thing) => [thing.key, etagOfBase(thing, present.get(thing.key))]));
  const tasks: Task[] = [];
  const settled = new Set(wanted.map(({ key }) => key));
  const old_names = Map.groupBy(wanted.filter(({ key }) => !present.has(key)), ({ renamed_from }) => renamed_from);
  for (const thing of wanted) {
    const { key, renamed_from } = thing;
    const is_due = renamed_from !== undefined && !present.has(key) && present.has(renamed_from);
    const is_double = is_due &&
      (settled.has(renamed_from) || (old_names.get(renamed_from)?.length ?? 0) > 1);
    const decided = is_double ? doublyNamed(thing) : decideOne(thing, present, base);
    if (decided === undefined) decisions.unchanged++;
    else if ("server" in decided) decisions.conflicts.push(decided);
    else {
      tasks.push(decided);
      if (decided.from !== null) settled.add(decided.from);
    }
  }
  for (const [key, etag] of base) {
    const is = present.get(key);
    if (settled.has(key) || !is) continue;
    if (push.delete && is.etag !== etag) {
      decisions.conflicts.push({ kind, key, base: etag, yours: null, server: sentOf(is) });
    } else {
      tasks.push({
        kind,
        key,
        action: push.delete ? "delete" : "keep",
        from: null,
        fields: [],
        faults: {},
        etag: push.delete ? null : is.etag,
        stored: is.stored,
      });
    }
  }
  decisions.tasks.push(...tasks.toSorted((a, b) => ORDER[a.action] - ORDER[b.action]));
}

/** A thing becomes one other. */
const doublyNamed = ({ kind, key, renamed_from }: Wanted): Task => ({
  kind,
  key,
  action: "create",
  from: null,
  fields: [],
  faults: { renamed_from: [`names ${renamed_from}, which another one of these things is or becomes`] },
  etag: null,
});

const namesOf = ({ key, renamed_from }: Wanted) => renamed_from === undefined ? [key] : [key, renamed_from];

/** @returns undefined where nothing is to be done */
function decideOne(
  { kind, key, value: json, renamed_from }: Wanted,
  present: ReadonlyMap<string, Present>,
  base: ReadonlyMap<string, string>,
): Task | Conflict | undefined {
  const known = present.get(key);
  const from = !known && renamed_from !== undefined && present.has(renamed_from) ? renamed_from : null;
  const is = known ?? (from === null ? undefined : present.get(from));
  const base_etag = base.get(from ?? key) ?? null;
  const conflict = (yours: string | null): Conflict => ({
    kind,
    key,
    base: base_etag,
    yours,
    server: is ? sentOf(is) : null,
  });
  if (json === undefined) return known && known.etag === base_etag ? undefined : conflict(base_etag);
  const read = readWanted(kind, key, json, is?.stored);
  const task: Task = {
    kind,
    key,
    action: "create",
    from: null,
    fields: [],
    faults: {},
    etag: null,
    stored: is?.stored,
  };
  // A fault of the caller's comes first: without a value there is no etag to compare.
  if ("faults" in read) return { ...task, action: is ? "change" : "create", faults: read.faults };
  const { value } = read;
  const compacted = compact(THING_KINDS[kind], key, value);
  const yours = etagOf(compacted);
  if (!is) {
    return base_etag === null ? { ...task, value, fields: Object.keys(compacted), etag: yours } : conflict(yours);
  }
  if (from === null && yours === is.etag) return undefined;
  if (base_etag !== is.etag) return conflict(yours);
  const fields = Object.keys(THING_KINDS[kind].shape.shape)
    .filter((name) => !THING_KINDS[kind].hints?.includes(name) && !same(value[name], is.stored.value[name]));
  return { ...task, value, fields, action: from === null ? "change" : "rename", from, etag: yours };
}

/** A value that is no longer valid has the etag of nothing. */
function etagOfBase({ kind, key, etag, value: json }: Push["base"][number], is: Present | undefined): string {
  if (json === undefined) return etag ?? "";
  const read = readWanted(kind, key, json, is?.stored);
  return "value" in read ? etagOf(compact(THING_KINDS[kind], key, read.value)) : "";
}

function readWanted(
  kind: Kind,
  key: string,
  json: Value,
  stored: Stored | undefined,
): { value: Value } | { faults: Fields } {
  const { settle } = THING_KINDS[kind];
  try {
    const value = readValue(THING_KINDS[kind], key, json);
    return { value: settle ? settle(value, stored?.value) : value };
  } catch (error) {
    if (error instanceof Refusal && error.fields) return { faults: error.fields };
    throw error;
  }
}

const sentOf = ({ etag, compacted }: Present): Conflict["server"] => ({
  etag,
  value: compacted as NonNullable<Conflict["server"]>["value"],
});

async function readPresent(sql: Sql, account: number, kind: Kind, keys: string[]): Promise<Map<string, Present>> {
  const all = await readKeys(sql, account, kind);
  const named = new Map([...new Set(keys)].flatMap((key) => {
    const thing = all.get(key);
    return thing ? [[thing.id, key] as const] : [];
  }));
  if (named.size === 0) return new Map();
  const present = new Map<string, Present>();
  for (const stored of await THING_KINDS[kind].read(sql, account, [...named.keys()])) {
    const key = named.get(stored.id);
    if (key === undefined) continue;
    const compacted = compact(THING_KINDS[kind], key, stored.value);
    present.set(key, { stored, compacted, etag: etagOf(compacted) });
  }
  return present;
}

/** @throws {Refusal} 422 */
function proveOnce(things: readonly { kind: Kind; key: string }[], list: string): void {
  const seen = new Set<string>();
  for (const [index, { kind, key }] of things.entries()) {
    if (seen.has(`${kind}/${key}`)) throw invalid({ [`${list}.${index}.key`]: [`has ${kind}/${key} twice`] });
    seen.add(`${kind}/${key}`);
  }
}
