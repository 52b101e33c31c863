/** What esbuild refuses, as messages for the author. */
import type * as esbuild from "esbuild";
import { CompileFailure } from "../compiler.ts";
import type { Compiled } from "../engines/engine.ts";
import { type Position, positionOf, showMistake } from "./positions.ts";

export const isBuildFailure = (error: unknown): error is esbuild.BuildFailure =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors);

/** Messages of one source: a long one can have thousands. */
const MOST = 20;

/** @returns what is to be thrown: the author's mistakes, or the fault as it was */
export async function failureOf(
  error: unknown,
  source: string,
  place: (note: esbuild.Message) => Position | undefined,
  explain?: Compiled["explain"],
): Promise<unknown> {
  if (!isBuildFailure(error) || error.errors.length === 0) return error;
  const mistakes = withoutConsequences(error.errors).slice(0, MOST).map((note) => ({
    text: reword(note.text),
    position: place(note),
  }));
  const last = mistakes.at(-1);
  // Whatever stops it reading comes last.
  if (explain && last?.position && !hasRead(error)) {
    mistakes.splice(-1, 1, await explain({ ...last, position: last.position }));
  }
  return new CompileFailure([...new Set(mistakes.map(({ text, position }) => showMistake(source, text, position)))]);
}

const NO_MARKUP = "The JSX syntax extension is not currently enabled";

/** Markup where none is read: esbuild reads on, and misses what it would have compiled that to. */
function withoutConsequences(errors: esbuild.Message[]): esbuild.Message[] {
  const markup = errors.filter(({ text }) => text === NO_MARKUP);
  return markup.length > 0 ? markup : errors;
}

/** Imports are looked at when a file has been read. */
export const hasRead = ({ errors }: esbuild.BuildFailure) =>
  errors.some(({ pluginName, text }) => pluginName || NO_EXPORT.test(text));

const NO_EXPORT = /^No matching export in "runtime:([^"]+)" for import "([^"]+)"$/;

/** esbuild names its own namespaces, which say nothing to an author. */
export function reword(text: string): string {
  return text.replace(NO_EXPORT, '"$1" has no export "$2"')
    .replace(NO_MARKUP, "Markup cannot stand here")
    .replace("because it's an import from an injected file", "because it is the engine's own")
    .replace('"runtime:', '"');
}

export const quotedIn = (text: string) => /"([^"]+)"/.exec(text)?.[1];

/** Where the source has what the message quotes first. */
export function quoted(source: string, { text }: esbuild.Message): Position | undefined {
  const name = quotedIn(text);
  return name ? positionOf(source, new RegExp(RegExp.escape(name))) : undefined;
}
