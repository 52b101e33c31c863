/** Which statements of a module must come along with which. */
import type { Statement } from "./statements.ts";

export interface Relations {
  /** Name → the statements that declare it: one, but for `var`. */
  declaring: ReadonlyMap<string, readonly Statement[]>;
  /** What a statement needs in its own module or in one that is loaded before. */
  needs: ReadonlyMap<Statement, ReadonlySet<Statement>>;
}

/**
 * Wherever the order of two statements can be told from outside, each needs the other, or one imports the other's names:
 *
 * - A statement needs what declares the names that it mentions.
 * - A name needs what assigns it in a way that only its own module can.
 * - A name needs the statements that change its value, or parts of it, while the module loads.
 * - A statement that writes while the module loads needs those before it that read the same.
 */
export function relate(statements: readonly Statement[]): Relations {
  const declaring = new Map<string, Statement[]>();
  for (const statement of statements) {
    for (const name of statement.declares) declaring.set(name, [...declaring.get(name) ?? [], statement]);
  }
  const needs = new Map(statements.map((one) => [one, new Set<Statement>()]));
  const relateName = (name: string, relate: (declared: Statement) => void) => declaring.get(name)?.forEach(relate);

  /** All that can be got at from these names; what functions mention only where those may be called. */
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
