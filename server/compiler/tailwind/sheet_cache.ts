/**
 * Stylesheets that were built of late, ready to grow: the next save of an app names most often the classes that it
 * named before, or some more. The outcome is always the one that a build from nothing would have.
 */
export interface Growing {
  /** Takes further candidates. @returns the stylesheet for all that it was ever given */
  build(candidates: string[]): string;
}

interface Kept extends Growing {
  /** What it was made from. */
  input: string;
  /** The last app's; what it was given before has left nothing. */
  candidates: ReadonlySet<string>;
  css: string;
  /** Class names in `css`. */
  names(): ReadonlySet<string>;
  finished: string;
}

/** Each holds a megabyte or two. */
const LIMIT = 8;

export interface KeptStyles {
  /**
   * @param input everything that the outcome depends on beside the candidates
   * @param open makes one from nothing
   * @param finish is given a stylesheet; asked again where that has changed only
   */
  build(
    input: string,
    candidates: ReadonlySet<string>,
    open: () => Promise<Growing>,
    finish: (css: string) => Promise<string>,
  ): Promise<string>;
}

export function createKeptStyles(): KeptStyles {
  let kept: Kept[] = [];

  async function keep(
    { build }: Growing,
    css: string,
    finished: string | Promise<string>,
    { input, candidates }: Pick<Kept, "input" | "candidates">,
  ): Promise<string> {
    const names = once(() => classesIn(css));
    const one = { input, build, candidates, css, names, finished: await finished };
    kept = [one, ...kept].slice(0, LIMIT);
    return one.finished;
  }

  return {
    async build(input, candidates, open, finish) {
      const asked = { input, candidates };
      const last = kept.find((one) => one.input === input && hasOnly(one, candidates));
      // A failure leaves it half grown.
      kept = kept.filter((one) => one !== last);
      const css = last && grown(last, candidates);
      if (last && css === last.css) return await keep(last, css, last.finished, asked);
      if (last && css !== undefined) return await keep(last, css, finish(css), asked);
      const fresh = await open();
      const whole = fresh.build([...candidates]);
      return await keep(fresh, whole, finish(whole), asked);
    },
  };
}

/** Undefined where it fails: a build from nothing tells the mistake as it is in the source now. */
function grown({ build, candidates }: Kept, now: ReadonlySet<string>): string | undefined {
  try {
    return build([...now.difference(candidates)]);
  } catch {
    return undefined;
  }
}

/** Whether it has nothing that these do not ask for. */
function hasOnly({ css, names, candidates }: Kept, now: ReadonlySet<string>): boolean {
  const gone = candidates.difference(now);
  return ![...gone].some((name) => names().has(name) || name.startsWith("--") && css.includes(name));
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A class name behind its dot, with what CSS escapes in it. Numbers with a point are no classes, and do no harm. */
const CLASS = /\.((?:\\[0-9a-fA-F]{1,6}\s?|\\[^]|[\w-]|[^\0-\x7f])+)/g;
const ESCAPE = /\\(?:([0-9a-fA-F]{1,6})\s?|([^]))/g;

export function classesIn(css: string): Set<string> {
  const unescape = (_: string, code: string | undefined, character: string) =>
    code ? String.fromCodePoint(parseInt(code, 16)) : character;
  return new Set([...css.matchAll(CLASS)].map(([, name = ""]) => name.replace(ESCAPE, unescape)));
}
