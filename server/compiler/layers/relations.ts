/** Which statements of a module depend on which others. */
import type { Statement } from "./statements.ts";

export interface Relations {
  /** Name → the statements that declare it. Only `var` may have several. */
  declaring: ReadonlyMap<string, readonly Statement[]>;
  /** Statement → those that must be in its own layer or in one that loads before it. */
  needs: ReadonlyMap<Statement, ReadonlySet<Statement>>;
}

/**
 * Keeps the observable order of statements: where two statements affect each other, one depends on the other.
 *
 * - A statement depends on the declarations of the names that it mentions.
 * - A declaration depends on statements that assign its name in a way that only its own module can.
 * - A declaration depends on statements that change its value, or objects in it, while the module loads.
 * - A statement that writes while the module loads depends on earlier statements that read the same name.
 */
export function relate(statements: readonly Statement[]): Relations {
  const declaring = new Map<string, Statement[]>();
  for (const statement of statements) {
    for (const name of statement.declares) declaring.set(name, [...declaring.get(name) ?? [], statement]);
  }
  const needs = new Map(statements.map((one) => [one, new Set<Statement>()]));
  const relateName = (name: string, relate: (declared: Statement) => void) => declaring.get(name)?.forEach(relate);

  /** All names reachable from these. @param deep whether functions may be called, so that their names count, too */
  const reach = (names: Iterable<string>, deep: boolean): Set<string> => {
    const all = new Set(names);
    for (const name of all) {
      relateName(name, ({ calls, mentions, eager }) => {
        for (const next of deep || calls ? mentions : eager) all.add(next);
      });
    }
    return all;
  };
  const read = statements.map(({ calls, mentions, eager }) => calls ? reach(mentions, true) : reach(eager, false));
  const changed = statements.map(({ wild, mentions, changes }) => wild ? reach(mentions, true) : reach(changes, false));

  for (const [index, one] of statements.entries()) {
    for (const name of one.mentions) relateName(name, (declared) => needs.get(one)?.add(declared));
    for (const name of [...one.declares, ...one.assigns, ...changed[index] ?? []]) {
      relateName(name, (declared) => needs.get(declared)?.add(one));
    }
    const written = new Set([...changed[index] ?? [], ...one.hoisted ? [] : one.declares]);
    for (const name of one.assigns) if (one.eager.has(name)) written.add(name);
    if (written.size === 0) continue;
    for (const [earlier, other] of statements.slice(0, index).entries()) {
      if (!read[earlier]?.isDisjointFrom(written)) needs.get(one)?.add(other);
    }
  }
  return { declaring, needs };
}
