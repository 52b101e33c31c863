/**
 * Caches the stylesheets of recent builds together with Tailwind's state. The next save of an app mostly names the same
 * classes, or some more, which Tailwind adds in a third of the time. The result always equals that of a fresh build.
 */
export interface Growing {
  /** Adds candidates. @returns the stylesheet for all candidates so far */
  build(candidates: string[]): string;
}

type Open = () => Promise<Growing>;

interface Kept extends Growing {
  /** Everything that the result depends on beside the candidates. */
  input: string;
  open: Open;
  /** Of the last build. Earlier candidates have left nothing in the stylesheet. */
  candidates: ReadonlySet<string>;
  css: string;
  /** Class names in `css`. */
  names(): ReadonlySet<string>;
  finished: string;
}

/** Stylesheets that are kept. Each holds 1 to 2 MB. */
const LIMIT = 8;

export interface KeptStyles {
  /**
   * @param input everything that the result depends on beside the candidates
   * @param open starts a fresh stylesheet
   * @param finish post-processes a stylesheet; called only where that has changed
   */
  build(
    input: string,
    candidates: ReadonlySet<string>,
    open: Open,
    finish: (css: string) => Promise<string>,
  ): Promise<string>;
  /**
   * Opens the stylesheet of the last build once more, for a next build without one of its classes: Tailwind cannot remove
   * a class. To be called while there is no other work; takes 1.5 ms.
   */
  openSpare(): Promise<void>;
}

export function createKeptStyles(): KeptStyles {
  let kept: Kept[] = [];
  /** A fresh stylesheet that was opened in advance. */
  let spare: { input: string; fresh: Growing } | undefined;

  async function keep(
    { build }: Growing,
    css: string,
    finished: string | Promise<string>,
    asked: Pick<Kept, "input" | "candidates" | "open">,
  ): Promise<string> {
    const names = once(() => classesIn(css));
    const one = { ...asked, build, css, names, finished: await finished };
    kept = [one, ...kept].slice(0, LIMIT);
    return one.finished;
  }

  function takeSpare(input: string): Growing | undefined {
    if (spare?.input !== input) return undefined;
    const { fresh } = spare;
    spare = undefined;
    return fresh;
  }

  return {
    async build(input, candidates, open, finish) {
      const asked = { input, candidates, open };
      const last = kept.find((one) => one.input === input && hasOnly(one, candidates));
      // Taken out, because a failure leaves it in an undefined state.
      kept = kept.filter((one) => one !== last);
      const css = last && grown(last, candidates);
      if (last && css === last.css) return await keep(last, css, last.finished, asked);
      if (last && css !== undefined) return await keep(last, css, finish(css), asked);
      const fresh = takeSpare(input) ?? await open();
      const whole = fresh.build([...candidates]);
      return await keep(fresh, whole, finish(whole), asked);
    },

    async openSpare() {
      const [last] = kept;
      if (!last || spare?.input === last.input) return;
      const { input, open, candidates, names } = last;
      const fresh = await open();
      // Words that are no classes leave nothing; Tailwind remembers that, which takes a third of a build.
      fresh.build([...candidates.difference(names())].filter((word) => !word.startsWith("--")));
      spare = { input, fresh };
    },
  };
}

/** @returns undefined where it fails: a fresh build then reports the mistake with its position in the present source */
function grown({ build, candidates }: Kept, now: ReadonlySet<string>): string | undefined {
  try {
    return build([...now.difference(candidates)]);
  } catch {
    return undefined;
  }
}

/** Whether the stylesheet has only classes that these candidates name. */
function hasOnly({ css, names, candidates }: Kept, now: ReadonlySet<string>): boolean {
  const gone = candidates.difference(now);
  return ![...gone].some((name) => names().has(name) || name.startsWith("--") && css.includes(name));
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A class selector, with CSS escapes. It also matches decimal fractions, which does no harm. */
const CLASS = /\.((?:\\[0-9a-fA-F]{1,6}\s?|\\[^]|[\w-]|[^\0-\x7f])+)/g;
const ESCAPE = /\\(?:([0-9a-fA-F]{1,6})\s?|([^]))/g;

/** The class names in a stylesheet, without escapes. */
export function classesIn(css: string): Set<string> {
  const unescape = (_: string, code: string | undefined, character: string) =>
    code ? String.fromCodePoint(parseInt(code, 16)) : character;
  return new Set([...css.matchAll(CLASS)].map(([, name = ""]) => name.replace(ESCAPE, unescape)));
}
