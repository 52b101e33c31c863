/** Replaces parts of a compiler's messages by words for the author of an app. */

/** What a pattern matches is replaced by its text, as `String.replace` does. */
export type Rewording = readonly (readonly [pattern: RegExp, text: string])[];

export const reword = (message: string, rewording: Rewording): string =>
  rewording.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
