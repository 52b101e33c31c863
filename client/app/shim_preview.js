/*
 * In previews only, before all else: tells the page around what the app writes to its console, its uncaught errors and
 * its first render, with positions in the source (docs/apps.md, "Previews"). The messages go to pages of this site alone.
 */
((preview) => {
  if (parent === globalThis) return;
  const MOST_A_SECOND = 100;
  const MOST_CHARACTERS = 4_000;
  const READY_WITHOUT_CONTENT_MS = 1_000;
  const NEXT_FRAME_MS = 60;
  const page = location.href.split("#")[0];
  const home = new URL(page).origin;
  const script = preview.script ? new URL(preview.script, page).href : page;
  const { fetch, setTimeout, console } = globalThis;
  const send = (type, more) => parent.postMessage({ atrium: "preview", type, ...more }, home);

  let second, sent, dropped = 0;
  const passes = () => {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) [second, sent] = [now, 0];
    if (sent++ < MOST_A_SECOND) return true;
    if (dropped++ === 0) {
      setTimeout(() => {
        send("dropped", { count: dropped });
        dropped = 0;
      }, 1_000);
    }
    return false;
  };

  /** The mappings of a source map: for each line of the script [unit, line, column] in ascending order, all from 0. */
  const decode = (mappings) => {
    const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let [line, column] = [0, 0];
    return mappings.split(";").map((text) => {
      let unit = 0;
      return text.split(",").filter(Boolean).map((segment) => {
        const numbers = [];
        let [value, shift] = [0, 0];
        for (const digit of segment) {
          const bits = DIGITS.indexOf(digit);
          value += (bits & 31) << shift;
          shift += 5;
          if (bits & 32) continue;
          numbers.push(value & 1 ? -(value >> 1) : value >> 1);
          [value, shift] = [0, 0];
        }
        return [unit += numbers[0], line += numbers[2], column += numbers[3]];
      });
    });
  };
  let loading;
  const load = () =>
    loading ??= fetch(preview.positions).then((answer) => answer.ok ? answer.text() : "").then(decode).catch(() => []);

  /** @param place in the script, from 1 @returns in the source, from 1; undefined for code that is not the author's */
  const locate = async ({ line, column }) => {
    if (preview.inserted) {
      const { after, unit, lines } = preview.inserted;
      return { line: line - lines, column: line === after + lines ? column + unit : column };
    }
    if (!preview.positions) return { line, column };
    const found = (await load())[line - 1]?.findLast(([unit]) => unit <= column - 1);
    return found && { line: found[1] + 1, column: found[2] + 1 };
  };
  const isAuthors = ({ line }) => !preview.inserted || line >= preview.inserted.after + preview.inserted.lines;
  /** Places in the script, the innermost first. */
  const placesIn = (stack) =>
    [...String(stack ?? "").matchAll(/(https?:\/\/[^\s()]+?):(\d+):(\d+)/g)]
      .filter(([, url]) => url.split("#")[0] === script)
      .map(([, , line, column]) => ({ line: Number(line), column: Number(column) }))
      .filter(isAuthors);

  let last = Promise.resolve();
  /** Messages stay in order, while the positions of the first one are loaded. */
  const tell = (type, text, places, more) => {
    if (!passes()) return;
    const at = Date.now();
    last = last.then(async () => {
      const stack = (await Promise.all(places.slice(0, 10).map(locate))).filter(Boolean);
      const { line = null, column = null } = stack[0] ?? {};
      send(type, { ...more, text: text.slice(0, MOST_CHARACTERS), line, column, stack, at });
    });
  };

  const show = (value, depth, seen) => {
    if (typeof value === "string") return depth > 0 ? JSON.stringify(value) : value;
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "function") return `ƒ ${value.name}()`;
    if (typeof value !== "object" || value === null) return String(value);
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (value instanceof Element) return `<${value.localName}${value.id && ` id="${value.id}"`}>`;
    if (value instanceof Date || value instanceof RegExp) return String(value);
    if (seen.has(value)) return "[circular]";
    const open = Array.isArray(value) || value instanceof Set || ArrayBuffer.isView(value) ? "[]" : "{}";
    if (depth > 3) return `${open[0]}…${open[1]}`;
    seen.add(value);
    const name = value.constructor?.name ?? "";
    const entries = value instanceof Map
      ? [...value].slice(0, 51).map(([key, item]) => `${show(key, depth + 1, seen)} => ${show(item, depth + 1, seen)}`)
      : open === "[]"
      ? [...value].slice(0, 101).map((item) => show(item, depth + 1, seen))
      : Object.keys(value).slice(0, 51).map((key) => `${key}: ${show(value[key], depth + 1, seen)}`);
    seen.delete(value);
    if (entries.length > (open === "[]" ? 100 : 50)) entries.splice(-1, 1, "…");
    const list = entries.join(", ");
    const inside = open === "[]" ? `[${list}]` : list ? `{ ${list} }` : "{}";
    return name === "Object" || name === "Array" || name === "" ? inside : `${name} ${inside}`;
  };
  const shown = (value) => {
    try {
      return show(value, 0, new Set());
    } catch {
      return "[cannot be shown]";
    }
  };
  /** As a browser's console writes them, without styles. */
  const textOf = ([first, ...others]) => {
    if (typeof first !== "string") return [first, ...others].map(shown).join(" ");
    const text = first.replace(/%([sdifoOc%])/g, (found, kind) => {
      if (kind === "%") return "%";
      if (others.length === 0) return found;
      const value = others.shift();
      return kind === "c" ? "" : shown(value);
    });
    return [text, ...others.map(shown)].join(" ");
  };

  for (const level of ["log", "info", "debug", "warn", "error"]) {
    const write = console[level];
    console[level] = (...values) => {
      write.apply(console, values);
      const thrown = level === "error" ? values.find((value) => value instanceof Error) : undefined;
      const places = placesIn(thrown?.stack);
      tell("console", textOf(values), places.length > 0 ? places : placesIn(new Error().stack), { level });
    };
  }
  addEventListener("error", ({ target, error, message, filename, lineno, colno }) => {
    if (target !== globalThis) {
      const address = target?.src || target?.href;
      return void (address && tell("error", `Cannot load ${address}`, []));
    }
    const places = placesIn(error?.stack);
    const place = { line: lineno, column: colno };
    if (places.length === 0 && filename?.split("#")[0] === script && isAuthors(place)) places.push(place);
    tell("error", error instanceof Error ? shown(error) : String(message), places);
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => tell("rejection", shown(reason), placesIn(reason?.stack)));

  const isOwn = (element) => element.id !== "platform-app" && !/^(SCRIPT|STYLE|LINK|TEMPLATE)$/.test(element.tagName);
  const hasContent = () =>
    Boolean(document.getElementById("platform-app")?.hasChildNodes()) ||
    [...document.body?.children ?? []].some(isOwn) ||
    preview.script === null && Boolean(document.body?.textContent?.trim());
  let is_ready = false;
  const ready = () => {
    if (is_ready) return;
    is_ready = true;
    observer.disconnect();
    send("ready", { rendered: hasContent(), ms: Math.round(performance.now()) });
  };
  /** A frame out of sight has no animation frames. */
  const soon = () => {
    requestAnimationFrame(ready);
    setTimeout(ready, NEXT_FRAME_MS);
  };
  const observer = new MutationObserver(() => document.readyState !== "loading" && hasContent() && soon());
  observer.observe(document, { childList: true, subtree: true });
  addEventListener("DOMContentLoaded", () => hasContent() && soon());
  addEventListener("load", () => setTimeout(ready, READY_WITHOUT_CONTENT_MS));
});
