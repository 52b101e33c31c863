/** Reads a model's reply as it arrives: text, and fenced blocks named `replace`. */

export type Part = { kind: "text"; text: string } | { kind: "block"; text: string; complete: boolean };

const OPEN = "```replace";
const CLOSE = "```";

export interface ReplyReader {
  /** @returns what is certain by now */
  push(piece: string): Part[];
  end(): Part[];
}

/** A fence begins and ends at the beginning of a line. */
export function createReplyReader(): ReplyReader {
  let held = "";
  let block: string[] | undefined;
  /** Whether `held` begins a line. */
  let begins = true;

  function* lines(): Generator<Part> {
    for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
      const line = held.slice(0, end + 1);
      held = held.slice(end + 1);
      yield* take(line);
      begins = true;
    }
  }

  function* take(line: string): Generator<Part> {
    const text = line.trimEnd();
    if (block) {
      if (text.trimStart() !== CLOSE) return void block.push(line);
      yield { kind: "block", text: block.join(""), complete: true };
      block = undefined;
    } else if (begins && text.trimStart() === OPEN) block = [];
    else yield { kind: "text", text: line };
  }

  return {
    push(piece) {
      held += piece;
      // A block may be one line of 200,000 characters in as many pieces.
      const parts = piece.includes("\n") ? [...lines()] : [];
      // The rest of a line is certain once it cannot become a fence.
      if (!block && held && !(begins && OPEN.startsWith(held.trimStart().slice(0, OPEN.length)))) {
        parts.push({ kind: "text", text: held });
        held = "";
        begins = false;
      }
      return parts;
    },
    end() {
      const parts = held ? [...take(held)] : [];
      if (block) parts.push({ kind: "block", text: block.join(""), complete: false });
      held = "";
      block = undefined;
      return parts;
    },
  };
}
