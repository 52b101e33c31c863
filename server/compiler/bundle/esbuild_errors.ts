/** Turns esbuild's errors into messages for the author. */
import type * as esbuild from "esbuild";
import { CompileFailure } from "../compiler.ts";
import type { Compiled } from "../engines/engine.ts";
import { NO_EXPORT, NO_MARKUP, REWORDED } from "./messages.ts";
import { type Position, positionOf, showMistake } from "./positions.ts";
import { reword } from "./reword.ts";

export const isBuildFailure = (error: unknown): error is esbuild.BuildFailure =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors);

/** Messages per source: a long one can have thousands of errors. */
const MOST = 20;

/** @returns a CompileFailure with the author's mistakes; the error itself where it is not a build failure */
export async function failureOf(
  error: unknown,
  source: string,
  place: (note: esbuild.Message) => Position | undefined,
  explain?: Compiled["explain"],
): Promise<unknown> {
  if (!isBuildFailure(error) || error.errors.length === 0) return error;
  const mistakes = withoutConsequences(error.errors).slice(0, MOST).map((note) => ({
    text: reword(note.text, REWORDED),
    position: place(note),
  }));
  const last = mistakes.at(-1);
  // A syntax error ends the build, so it is the last message.
  if (explain && last?.position && !hasParsed(error)) {
    mistakes.splice(-1, 1, await explain({ ...last, position: last.position }));
  }
  return new CompileFailure([...new Set(mistakes.map(({ text, position }) => showMistake(source, text, position)))]);
}

/** After markup in a file without JSX esbuild continues, and reports errors that follow from it. They are dropped. */
function withoutConsequences(errors: esbuild.Message[]): esbuild.Message[] {
  const markup = errors.filter(({ text }) => text === NO_MARKUP);
  return markup.length > 0 ? markup : errors;
}

/** Whether the file parsed: esbuild resolves imports only after that. */
export const hasParsed = ({ errors }: esbuild.BuildFailure) =>
  errors.some(({ pluginName, text }) => pluginName || NO_EXPORT.test(text));

/** The first quoted part of a message. */
export const quotedIn = (text: string) => /"([^"]+)"/.exec(text)?.[1];

/** The position in the source of what the message quotes first. */
export function quoted(source: string, { text }: esbuild.Message): Position | undefined {
  const name = quotedIn(text);
  return name ? positionOf(source, new RegExp(RegExp.escape(name))) : undefined;
}
