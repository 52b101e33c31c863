/**
 * Explains syntax errors in JSX that esbuild reports misleadingly: after an element it reads `<` as "less than", and a
 * slash after that as the start of a regular expression. Tries likely repairs: the repair that removes the error shows
 * what the mistake was.
 */
import type { Mistake } from "../engine.ts";
import { transform } from "../../bundle/esbuild.ts";
import { columnOfByte, editorPlaces, indexAt, positionAt } from "../../bundle/positions.ts";
import { isBuildFailure } from "../../bundle/esbuild_errors.ts";
import { MESSAGES } from "./messages.ts";

interface Repair {
  /** Matches directly before the places where `insert` may be missing. */
  place: RegExp;
  insert: string;
  /** @param rest the source from the repaired place on */
  text(rest: string): string;
}

const REPAIRS: Repair[] = [
  {
    place: /(?<=<\/[\w.:-]*>|\/>)\s*(?=<[A-Za-z>])/g,
    insert: ",",
    text: () => MESSAGES.side_by_side,
  },
  {
    place: /(?=<\/[\w.:-]*>)/g,
    insert: "}",
    text: (rest) => MESSAGES.brace_expected(/^[^>]*>/.exec(rest)?.[0] ?? ""),
  },
];

/** How many places before the error are tried, the nearest ones: each takes 1 to 2 ms for an app of usual length. */
const MOST_PLACES = 30;

/** Characters. Longer sources keep esbuild's message. */
const LONGEST = 100_000;

/** @param mistake where esbuild stopped parsing */
export async function explainSyntaxError(source: string, mistake: Mistake): Promise<Mistake> {
  if (source.length > LONGEST) return mistake;
  const reached = indexAt(source, mistake.position);
  for (const { place, insert, text } of REPAIRS) {
    const places = [...source.matchAll(place)].map(({ 0: { length }, index }) => index + length);
    for (const index of places.filter((index) => index <= reached).slice(-MOST_PLACES)) {
      const repaired = source.slice(0, index) + insert + source.slice(index);
      const errors = await errorsIn(repaired);
      if (errors.some((each) => each >= index && each <= reached + insert.length)) continue;
      return { text: text(source.slice(index)), position: positionAt(source, index) };
    }
  }
  return mistake;
}

/** Indices in `source` of its syntax errors. */
async function errorsIn(source: string): Promise<number[]> {
  try {
    await transform(source, { loader: "tsx", jsx: "preserve", logLevel: "silent", tsconfigRaw: {} });
    return [];
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    const inEditor = editorPlaces(source);
    return error.errors.flatMap(({ location }) => {
      if (!location) return [];
      const { line, column, lineText } = location;
      return [indexAt(source, inEditor({ line, column: columnOfByte(lineText, column) + 1 }))];
    });
  }
}
