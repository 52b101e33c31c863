/**
 * CSV formula injection: a spreadsheet runs a cell that begins with one of these characters as a formula. Visitors may
 * have written the record. An apostrophe in front makes it a text.
 */

/** The full-width forms are read as the same characters in some languages. */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;

/** A text that is escaped already gets one more apostrophe, so that `unescapeFormula` returns exactly this text. */
export const escapeFormula = (text: string): string => FORMULA.test(text) ? `'${text}` : text;

export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
