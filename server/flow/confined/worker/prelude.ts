/**
 * The first script of each evaluation's realm. It makes the realm deterministic, and returns a function by which the
 * worker talks to it in texts alone: an object of the worker inside of the realm would lead out of it.
 *
 * The function's source text is what runs, so it must not use anything around it.
 */

/** Starts in the realm: `begin(names, now, seeds)`, `expression(source)`, `call()`; `read()` is the outcome so far. */
export type Realm = (
  order: "begin" | "reseed" | "expression" | "call" | "failed" | "read" | "console",
  ...given: unknown[]
) => string;

export function prelude(): Realm {
  const { parse, stringify } = JSON;
  const { imul } = Math;
  const MOST_LINES = 100;
  const LONGEST_LINE = 1_000;
  const LONGEST_MESSAGE = 1_000;
  const LONGEST_PLACE = 40;
  const LONGEST_JSON = 1_048_576;

  let names: unknown;
  let now = 0;
  let random = [0, 0, 0, 0];
  let outcome = "";
  let lines = 0;
  let written_lines = "";

  // What depends on the machine, on time or on other threads, and what takes memory outside of the heap's limit.
  for (const name of ["WebAssembly", "Atomics", "SharedArrayBuffer", "WeakRef", "FinalizationRegistry"]) {
    Reflect.deleteProperty(globalThis, name);
  }
  Reflect.deleteProperty(Reflect.get(globalThis, "Temporal") ?? {}, "Now");
  // The frames of a stack name files of the server. A program sees its own first frame only, as `code:2:8`.
  const placeOf = (_error: unknown, frames: NodeJS.CallSite[]) => {
    // Not `for … of`: the program may have replaced the iterator of lists.
    for (let at = 0; at < frames.length; at++) {
      const frame = frames[at];
      if (frame?.getFileName() === "code") return `code:${frame.getLineNumber()}:${frame.getColumnNumber()}`;
    }
    return "";
  };
  Object.defineProperty(Error, "prepareStackTrace", { value: placeOf, writable: false, configurable: false });
  Object.defineProperty(Error, "stackTraceLimit", { value: 10, writable: false, configurable: false });

  const Moment = Date;
  const SetDate = new Proxy(Moment, {
    apply: () => new Moment(now).toString(),
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now] : args, made),
  });
  Object.defineProperty(Moment, "now", { value: () => now, writable: true, configurable: true });
  Object.defineProperty(Moment.prototype, "constructor", { value: SetDate, writable: true, configurable: true });
  Object.defineProperty(globalThis, "Date", { value: SetDate, writable: true, configurable: true });

  const format = Intl.DateTimeFormat.prototype;
  const { formatToParts } = format;
  const written = Object.getOwnPropertyDescriptor(format, "format")?.get;
  Object.defineProperty(format, "format", {
    configurable: true,
    get(this: Intl.DateTimeFormat) {
      const write = Reflect.apply(written ?? (() => {}), this, []);
      return (date?: Date | number) => write(date ?? now);
    },
  });
  format.formatToParts = function (date) {
    return Reflect.apply(formatToParts, this, [date ?? now]);
  };

  /** sfc32, a generator of 128 bits. */
  Math.random = () => {
    let [a = 0, b = 0, c = 0, d = 0] = random;
    const t = (a + b | 0) + d | 0;
    d = d + 1 | 0;
    a = b ^ b >>> 9;
    b = c + (c << 3) | 0;
    c = (c << 21 | c >>> 11) + t | 0;
    random = [a, b, c, d];
    return (t >>> 0) / 4_294_967_296;
  };
  /** Mixes the number of an expression into the seeds. */
  const reseed = (seeds: string, number: number) => {
    random = seeds.split(",").map((seed, index) =>
      imul(Number(seed) ^ imul(number + 1, 0x9E3779B1), 2 * index + 1) | 0
    );
    for (let count = 0; count < 12; count++) Math.random();
  };

  const shown = (value: unknown): string => {
    if (typeof value === "string") return value;
    try {
      if (value instanceof Error) return `${value.name}: ${value.message}`;
      if (value instanceof Map || value instanceof Set) return stringify([...value]);
      return stringify(value) ?? String(value);
    } catch {
      return typeof value;
    }
  };
  const write = (line: string) => {
    written_lines += (lines++ === 0 ? "" : ",") + stringify(line);
  };
  const keep = (...values: unknown[]) => {
    if (lines > MOST_LINES) return;
    if (lines === MOST_LINES) return write("…");
    let line = "";
    for (let at = 0; at < values.length; at++) line += (at === 0 ? "" : " ") + shown(values[at]);
    write(line.length > LONGEST_LINE ? cut(line, LONGEST_LINE) + "…" : line);
  };
  const console = { log: keep, info: keep, debug: keep, warn: keep, error: keep };
  Object.defineProperty(globalThis, "console", { value: console, writable: true, configurable: true });

  // The program may have changed what JSON makes of objects, but not what it makes of texts.
  const textOf = (key: string, value: string) => `{"${key}":${stringify(value)}}`;
  const cut = (text: string, most: number, from = 0) => {
    let short = "";
    for (let at = from; at < text.length && at < from + most; at++) short += text[at];
    return short;
  };
  /** Long enough for the place at its end, behind what may be the source's line. */
  const endOf = (stack: unknown) =>
    typeof stack === "string"
      ? cut(stack, LONGEST_PLACE, stack.length < LONGEST_PLACE ? 0 : stack.length - LONGEST_PLACE)
      : "";

  const fail = (error: unknown) => {
    let message = "failed";
    let place = "";
    try {
      const { name, message: text, code, position, stack }: Record<string, unknown> = Object(error);
      place = endOf(stack);
      message = typeof text === "string" && text !== "" ? text : shown(error);
      if (typeof name === "string" && name !== "Error" && code === undefined) message = `${name}: ${message}`;
      if (typeof code === "string" && typeof position === "number") message += ` (at character ${position})`;
    } catch {
      // An error whose properties throw has no message.
    }
    outcome = `{"error":${stringify(cut(message, LONGEST_MESSAGE))},"stack":${stringify(place)}}`;
  };
  const finish = (value: unknown) => {
    try {
      const json = stringify(value) ?? "null";
      outcome = json.length > LONGEST_JSON ? textOf("error", "returns more than 1 MiB of JSON") : textOf("json", json);
    } catch (error) {
      fail(error);
    }
  };
  const settle = (work: () => unknown) => {
    outcome = "";
    try {
      const result = work();
      if (typeof result === "object" && result !== null && "then" in result) {
        Promise.resolve(result).then(finish, fail);
      } else finish(result);
    } catch (error) {
      fail(error);
    }
  };

  // JSONata takes these from a browser or from Node.js, and the realm is neither. A text is UTF-8, as in filters.
  const charactersOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const base64encode = (text?: string) => {
    if (text === undefined) return undefined;
    const utf8 = unescape(encodeURIComponent(text.toWellFormed()));
    return Uint8Array.from(utf8, (character) => character.charCodeAt(0)).toBase64();
  };
  const base64decode = (text?: string) => {
    if (text === undefined) return undefined;
    try {
      return decodeURIComponent(escape(charactersOf(Uint8Array.fromBase64(text))));
    } catch {
      throw new Error("$base64decode: this is no text in base64");
    }
  };

  return (order, given, more, further) => {
    switch (order) {
      case "begin":
        names = parse(String(given));
        now = Number(more);
        reseed(String(further), 0);
        return "";
      case "reseed":
        reseed(String(given), Number(more));
        return "";
      case "expression":
        settle(() => {
          const expression = Reflect.get(globalThis, "jsonata")(String(given));
          const off = () => {
            throw new Error("$eval is not available");
          };
          expression.assign("eval", off);
          expression.registerFunction("base64encode", base64encode, "<s-:s>");
          expression.registerFunction("base64decode", base64decode, "<s-:s>");
          return expression.evaluate(names);
        });
        return "";
      case "call":
        settle(() => {
          const made = Reflect.get(globalThis, "atrium_code")?.default;
          if (typeof made !== "function") throw new Error("has no function as its default export");
          return made(names);
        });
        return "";
      case "failed":
        fail(given);
        return outcome;
      case "read":
        return outcome;
      case "console":
        return "[" + written_lines + "]";
    }
  };
}
