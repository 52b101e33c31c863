/** A part of the bench that can be run on its own. */
export interface Section {
  name: string;
  /** What to install first; undefined where nothing is missing. */
  missing: string | undefined;
  /** Measures. What it starts, `stack` ends. */
  measure(stack: AsyncDisposableStack): Promise<Measured>;
}

export interface Measured {
  /** For bench/last.json. */
  result: unknown;
  /** For people. */
  report: string;
}
