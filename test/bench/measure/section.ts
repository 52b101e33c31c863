/** A part of the bench that `--only` can select. */
export interface Section {
  name: string;
  /** The programs to install first; undefined if none is missing. */
  missing: string | undefined;
  /** @param stack ends what this starts */
  measure(stack: AsyncDisposableStack): Promise<Measured>;
}

export interface Measured {
  /** For bench/last.json. */
  result: unknown;
  /** The text that is printed. */
  report: string;
}
