/** Finds out by an app's tokens whether it can send requests to the server. Text and comments are no uses. */
import { tokenizer } from "acorn";

export interface Uses {
  /** It names `window.platform`, or `platform` without declaring a variable of that name. */
  platform: boolean;
  /** It names one of the browser's means for requests, or an address of records. */
  requests: boolean;
}

const MEANS = new Set(["fetch", "XMLHttpRequest", "EventSource"]);
const GLOBAL_OBJECTS = new Set(["window", "globalThis", "self", "top", "parent"]);
const DECLARING = new Set(["let", "const", "var", "function", "class", "import"]);
/** Games load from addresses in strings, by functions of their library. */
const RECORDS = "/db/";

/** For what is no JavaScript that this reads. */
const IN_TEXT = /\b(?:platform\b(?!-)|fetch|XMLHttpRequest|EventSource)\b|\/db\//;

/** @param code JavaScript */
export function usesOf(code: string): Uses {
  const uses = { platform: false, requests: false };
  let declared = false;
  /** By a name of its own, which a declaration of the app's would mean; not by `window.platform`. */
  let by_name = false;
  let [before, last] = ["", ""];
  try {
    for (const { type: { label }, start, end } of tokenizer(code, { ecmaVersion: "latest", sourceType: "module" })) {
      const word = code.slice(start, end);
      if (label === "string" || label === "template") uses.requests ||= word.includes(RECORDS);
      // `window["platform"]`
      const key = label === "string" && last === "[" && GLOBAL_OBJECTS.has(before) ? word.slice(1, -1) : undefined;
      if (key === "platform") uses.platform = true;
      if (key !== undefined && MEANS.has(key)) uses.requests = true;
      if (label === "name") {
        const is_member = last === "." || last === "?.";
        if (MEANS.has(word)) uses.requests = true;
        if (word === "platform" && DECLARING.has(last)) declared = true;
        if (word === "platform" && is_member && GLOBAL_OBJECTS.has(before)) uses.platform = true;
        if (word === "platform" && !is_member) by_name = true;
      }
      [before, last] = [last, word];
    }
  } catch {
    const found = IN_TEXT.test(code);
    return { platform: found, requests: found };
  }
  return { platform: uses.platform || by_name && !declared, requests: uses.requests };
}

const ATTRIBUTE = /\s([\w:@-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/g;
const ADDRESS = /^\s*javascript:/i;

/** Attributes with JavaScript: `onclick="…"`, `href="javascript:…"`. */
const handlersIn = (document: string): string[] =>
  document.matchAll(ATTRIBUTE).flatMap(([, name = "", double, single, plain]) => {
    const value = double ?? single ?? plain ?? "";
    return /^on/i.test(name) || ADDRESS.test(value) ? [value.replace(ADDRESS, "")] : [];
  }).toArray();

/** @param document HTML */
export function usesInHtml(document: string): Uses {
  const scripts = scriptsIn(document);
  const uses = [...scripts.map(({ code }) => code), ...handlersIn(document)].map(usesOf);
  // Code from elsewhere, or a document in an attribute, may do anything.
  const is_foreign = scripts.some(({ tag }) => /\ssrc\s*=/i.test(tag)) || /\ssrcdoc\s*=/i.test(document);
  return {
    platform: uses.some(({ platform }) => platform),
    requests: is_foreign || uses.some(({ requests }) => requests),
  };
}

/** The script elements. A pattern would read to the end for each element that is not closed. */
function scriptsIn(document: string): { tag: string; code: string }[] {
  const lower = document.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const scripts: { tag: string; code: string }[] = [];
  for (let at = lower.indexOf("<script"); at >= 0;) {
    const start = lower.indexOf(">", at) + 1;
    if (start === 0) break;
    const found = lower.indexOf("</script", start);
    const end = found < 0 ? document.length : found;
    scripts.push({ tag: document.slice(at, start), code: document.slice(start, end) });
    at = lower.indexOf("<script", end);
  }
  return scripts;
}
