/** Finds sections of the documentation by words. */
import type { Section } from "./content.ts";

export interface Result {
  section: Section;
  /** The text around the first word; every second piece is a word that was asked for. */
  excerpt: readonly string[];
}

const MOST = 30;
const BEFORE = 60;
const AROUND = 220;

const wordsOf = (query: string) => query.toLowerCase().split(/\s+/).filter(Boolean);

/**
 * Sections that contain every word, each in its heading, its page's title or its text; the best first.
 *
 * @param titleOf the title of a page
 */
export function search(sections: readonly Section[], query: string, titleOf: (page: string) => string): Result[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, titleOf(section.page), words) }))
    .filter(({ score }) => score > 0)
    // Stable: sections of the same score stay in reading order.
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }));
}

/** 0 where a word is missing. A word in the heading outweighs any number of words in the text. */
function scoreOf({ heading, text }: Section, title: string, words: readonly string[]): number {
  const places = [[heading || title, 20], [title, 6], [text, 1]] as const;
  let score = 0;
  for (const word of words) {
    let best = 0;
    for (const [place, weight] of places) {
      const found = place.toLowerCase();
      const at = found.indexOf(word);
      if (at === -1) continue;
      const starts = at === 0 || !/[\p{L}\p{N}_]/u.test(found[at - 1] ?? "");
      best = Math.max(best, weight * (found === word ? 4 : starts ? 2 : 1));
    }
    if (best === 0) return 0;
    score += best;
  }
  return score;
}

function excerptOf(text: string, words: readonly string[]): string[] {
  const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at !== -1);
  const first = found.length > 0 ? Math.min(...found) : 0;
  const start = first <= BEFORE ? 0 : text.lastIndexOf(" ", first - BEFORE) + 1;
  const end = text.length <= start + AROUND ? text.length : text.lastIndexOf(" ", start + AROUND);
  const piece = `${start > 0 ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
  return marked(piece, words);
}

/** The text in pieces; every second one is one of the words. */
export function marked(text: string, words: readonly string[]): string[] {
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return escaped.length === 0 ? [text] : text.split(new RegExp(`(${escaped.join("|")})`, "giu"));
}

export const markedQuery = (text: string, query: string): string[] => marked(text, wordsOf(query));
