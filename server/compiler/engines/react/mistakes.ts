/**
 * What esbuild cannot tell of JSX: behind an element it reads `<` as "less than", and then a slash as the beginning of
 * a regular expression. A mistake is what its repair mends, so likely ones are repaired to see whether that helps.
 */
import * as esbuild from "esbuild";
import type { Mistake } from "../engine.ts";
import { columnOfByte, indexAt, positionAt } from "../../bundle/positions.ts";
import { isBuildFailure } from "../../bundle/esbuild_errors.ts";

interface Repair {
  /** Where to write it. */
  place: RegExp;
  insert: string;
  /** @param there the source from there on */
  text(there: string): string;
}

const REPAIRS: Repair[] = [
  {
    place: /(?<=<\/[\w.:-]*>|\/>)\s*(?=<[A-Za-z>])/g,
    insert: ",",
    text: () => "Elements side by side need one around them: <>…</>",
  },
  {
    place: /(?=<\/[\w.:-]*>)/g,
    insert: "}",
    text: (there) => `Expected "}" but found "${/^[^>]*>/.exec(there)?.[0]}"`,
  },
];

/** Places tried before the mistake, the nearest; each takes a millisecond or two for an app of usual length. */
const TRIED = 30;
const LONGEST = 100_000;

/** @param mistake at which esbuild stopped reading */
export async function explain(source: string, mistake: Mistake): Promise<Mistake> {
  if (source.length > LONGEST) return mistake;
  const reached = indexAt(source, mistake.position);
  for (const { place, insert, text } of REPAIRS) {
    const places = [...source.matchAll(place)].map(({ 0: { length }, index }) => index + length);
    for (const index of places.filter((index) => index <= reached).slice(-TRIED)) {
      const repaired = source.slice(0, index) + insert + source.slice(index);
      const mistakes = await mistakesIn(repaired);
      if (mistakes.some((each) => each >= index && each <= reached + insert.length)) continue;
      return { text: text(source.slice(index)), position: positionAt(source, index) };
    }
  }
  return mistake;
}

/** Their places, as `String.at` counts. */
async function mistakesIn(source: string): Promise<number[]> {
  try {
    await esbuild.transform(source, { loader: "tsx", jsx: "preserve", logLevel: "silent", tsconfigRaw: {} });
    return [];
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    return error.errors.flatMap(({ location }) =>
      location
        ? [indexAt(source, { line: location.line, column: columnOfByte(location.lineText, location.column) + 1 })]
        : []
    );
  }
}
