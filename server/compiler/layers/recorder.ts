/** Records what one statement of a module mentions, assigns and calls, and whether it does so while the module loads. */
import type { AnyNode } from "acorn";
import { isLocal, type Scope } from "./scopes.ts";

/** "Eager" means: evaluated while the module loads, as opposed to inside a function that is called later. */
export interface Effects {
  /** Names of the module, wherever in the statement they occur. */
  mentions: ReadonlySet<string>;
  /** Those that the statement does more with than assign them. */
  uses: ReadonlySet<string>;
  /** Those that it assigns in a way that only their own module can. */
  assigns: ReadonlySet<string>;
  /** Assignments in functions that can be replaced by a call of a setter in the name's own module, in order. */
  settings: readonly Setting[];
  /** Those that it reads or assigns eagerly. */
  eager: ReadonlySet<string>;
  /** Those whose objects it changes eagerly. */
  changes: ReadonlySet<string>;
  /** It calls something eagerly, so everything that it mentions may be read. */
  calls: boolean;
  /** It calls something eagerly that may change everything that it mentions. */
  wild: boolean;
}

/** `name = …`, `name ??= …`, `name++`, with indices in the source. */
export interface Setting {
  name: string;
  operator: string;
  /** Whether `++` or `--` stands before the name. */
  prefix: boolean;
  start: number;
  /** Index after the operator. */
  value: number;
  end: number;
}

export interface Module {
  code: string;
  /** Names that the module declares. */
  known: ReadonlySet<string>;
  /** Functions and classes of the module whose calls have no effects. */
  pure: ReadonlySet<string>;
  /** Indices where calls start that a `PURE` comment precedes. */
  annotated: ReadonlySet<number>;
}

/** Where a node is: in which scope, and whether it is evaluated eagerly. */
export interface Place {
  scope: Scope | undefined;
  eager: boolean;
}

export function createRecorder({ known, pure, annotated }: Module) {
  const settings: Setting[] = [];
  const found = {
    settings,
    mentions: new Set<string>(),
    uses: new Set<string>(),
    assigns: new Set<string>(),
    eager: new Set<string>(),
    changes: new Set<string>(),
    calls: false,
    wild: false,
  };

  const isOurs = (name: string, { scope }: Place) => known.has(name) && !isLocal(name, scope);

  /** @returns whether the name is the module's */
  function mention(name: string, place: Place): boolean {
    if (!isOurs(name, place)) return false;
    found.mentions.add(name);
    found.uses.add(name);
    if (place.eager) found.eager.add(name);
    return true;
  }

  function set(setting: Setting, place: Place) {
    if (!isOurs(setting.name, place)) return;
    found.mentions.add(setting.name);
    settings.push(setting);
  }

  /** A property of the object is assigned. */
  function change(object: AnyNode, place: Place) {
    if (!place.eager) return;
    let root = object;
    while (root.type === "MemberExpression") root = root.object;
    // Eagerly, `this` is the class of a static member. Statements that use the class depend on this one anyway.
    if (root.type === "ThisExpression" || root.type === "Super") return;
    // Without a name at its root the object may be any.
    if (root.type !== "Identifier") found.wild = true;
    else if (mention(root.name, place)) found.changes.add(root.name);
  }

  /** @param start index where the call starts */
  function call(callee: AnyNode, given: readonly AnyNode[], start: number, { scope, eager }: Place) {
    if (!eager) return;
    const name = callee.type === "Identifier" ? callee.name : "";
    const isBuiltIn = BUILT_IN.has(name) && !known.has(name) && !isLocal(name, scope);
    if (isBuiltIn && given.every(({ type }) => PLAIN.has(type))) return;
    found.calls = true;
    if (!annotated.has(start) && !(pure.has(name) && !isLocal(name, scope))) found.wild = true;
  }

  return { found, mention, set, change, call };
}

/** Built-in constructors whose calls with plain arguments have no effects. */
const BUILT_IN = new Set(["Map", "Set", "WeakMap", "WeakSet", "Symbol"]);
const PLAIN = new Set(["Literal", "TemplateLiteral", "ArrayExpression", "ObjectExpression"]);
