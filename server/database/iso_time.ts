/** Times as the API writes them. The SQL function `iso` writes the same. */

/** The last time that was written, because a run has several times within one millisecond. */
const LAST = { ms: NaN, text: "" };

/** ISO 8601 with the offset, such as `2026-11-21T08:30:00.000+00:00`. @param ms since 1970 */
export function isoOf(ms: number): string {
  if (ms === LAST.ms) return LAST.text;
  LAST.ms = ms;
  return LAST.text = `${new Date(ms).toISOString().slice(0, -1)}+00:00`;
}
