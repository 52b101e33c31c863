/** What uses a database, and which of its fields: apps, flows, triggers and public methods. */
import type { api } from "../../../api.ts";
import { counted } from "../../../format.ts";
import type { IconName } from "../../../parts/icons.ts";
import type { Methods } from "../public/words.ts";

export type Use = Awaited<ReturnType<typeof api.dbs.uses.query>>[number];

/** The server lists no more. */
export const MOST_USES = 100;

export type Kind = Use["kind"] | "method";

export interface Shown {
  kind: Kind;
  key: string;
  name: string;
  href: string;
  /** Fields of the database that it names. */
  fields: readonly string[];
}

export const KINDS: Record<Kind, { one: string; many: string; title: string; icon: IconName; path: string }> = {
  app: { one: "app", many: "apps", title: "Apps", icon: "layout-grid", path: "apps" },
  flow: { one: "flow", many: "flows", title: "Flows", icon: "workflow", path: "flows" },
  cron: { one: "trigger", many: "triggers", title: "Triggers", icon: "calendar-clock", path: "triggers" },
  method: { one: "method", many: "methods", title: "Public methods", icon: "globe", path: "" },
};

/** The fields that a public method names. */
function namedIn(method: Methods[keyof Methods]): string[] {
  if (!method) return [];
  const { scope_by, allowed_fields, required_fields, default_values, auto_fields } = method as
    & NonNullable<Methods["create"]>
    & NonNullable<Methods["update"]>;
  return [
    ...new Set([
      ...scope_by === undefined ? [] : [scope_by],
      ...allowed_fields ?? [],
      ...required_fields ?? [],
      ...Object.keys(default_values ?? {}),
      ...Object.keys(auto_fields ?? {}),
    ]),
  ];
}

/** All that uses the database. Public methods are for a database with one table. */
export function shownUses(code: string, uses: readonly Use[], methods: Methods): Shown[] {
  const named = uses.map(({ kind, id, name, names }): Shown => ({
    kind,
    key: `${kind} ${id}`,
    name: name ?? `${KINDS[kind].one} ${id}`,
    href: `/${KINDS[kind].path}/${id}`,
    fields: names,
  }));
  const open = (["list", "create", "update", "delete"] as const).flatMap((name): Shown[] =>
    methods[name]
      ? [{
        kind: "method",
        key: name,
        name: `Public ${name}`,
        href: `/data/${code}/public`,
        fields: namedIn(methods[name]),
      }]
      : []
  );
  return [...named, ...open];
}

/**
 * What names a field.
 *
 * @param table the table's name if the database has several: what does not name it, does not use its fields
 */
export const usesOf = (uses: readonly Shown[], field: string, table: string | undefined): Shown[] =>
  uses.filter(({ fields }) => fields.includes(field) && (table === undefined || fields.includes(table)));

/** `3 apps, 1 flow`; the name of a single one. */
export function wordsOf(uses: readonly Shown[]): string {
  const [only] = uses;
  if (only && uses.length === 1) return only.name;
  const parts = Object.entries(KINDS).flatMap(([kind, { one, many }]) => {
    const count = uses.filter((use) => use.kind === kind).length;
    return count > 0 ? [counted(count, one, many)] : [];
  });
  return parts.join(", ");
}
