/** Reads CSV as it arrives, and writes it. */

/** The separator of a file by its first line: the one that occurs most. */
export function separatorOf(text: string): string {
  const line = text.slice(0, /\r?\n|$/.exec(text)?.index).replaceAll(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((one): [string, number] => [one, line.split(one).length]);
  return counts.reduce((best, one) => one[1] > best[1] ? one : best)[0];
}

export class CsvReader {
  readonly #separator: string;
  #row: string[] = [];
  #cell = "";
  #in_quotes = false;
  /** A quote inside of quotes: it ends them, or the next one doubles it. */
  #was_quote = false;
  #was_return = false;
  #is_first = true;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** Whether a quotation mark is open: at the end of a file it is a mistake. */
  get in_quotes(): boolean {
    return this.#in_quotes && !this.#was_quote;
  }

  /** The length of the cell that is not complete. */
  get open_length(): number {
    return this.#cell.length;
  }

  /** @returns the rows that are complete */
  push(text: string): string[][] {
    const rows: string[][] = [];
    for (const letter of this.#is_first ? text.replace(/^\uFEFF/, "") : text) this.#take(letter, rows);
    this.#is_first = false;
    return rows;
  }

  /** @returns the last row, if no line end follows it */
  end(): string[][] {
    const rows: string[][] = [];
    if (this.#row.length > 0 || this.#cell !== "" || this.#was_quote) this.#endRow(rows);
    return rows;
  }

  #take(letter: string, rows: string[][]): void {
    const after_return = this.#was_return;
    this.#was_return = false;
    if (this.#in_quotes) {
      if (!this.#was_quote && letter === '"') return void (this.#was_quote = true);
      if (!this.#was_quote) return void (this.#cell += letter);
      this.#was_quote = false;
      if (letter === '"') return void (this.#cell += letter);
      this.#in_quotes = false;
    }
    if (letter === '"' && this.#cell === "") this.#in_quotes = true;
    else if (letter === this.#separator) this.#endCell();
    else if (letter === "\n" && after_return) return;
    else if (letter === "\n" || letter === "\r") {
      this.#was_return = letter === "\r";
      this.#endRow(rows);
    } else this.#cell += letter;
  }

  #endCell(): void {
    this.#row.push(this.#cell);
    this.#cell = "";
    this.#in_quotes = this.#was_quote = false;
  }

  #endRow(rows: string[][]): void {
    this.#endCell();
    // An empty line is no row.
    if (this.#row.length > 1 || this.#row[0] !== "") rows.push(this.#row);
    this.#row = [];
  }
}

export const csvLine = (cells: readonly string[]): string =>
  cells.map((cell) => /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell).join(",");
