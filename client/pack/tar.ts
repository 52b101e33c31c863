/** Tar archives (ustar) of small files, the same bytes for the same files. */

export interface PackedFile {
  name: string;
  text: string;
  is_program?: boolean;
}

const BLOCK = 512;
/** 1985-10-26, as npm writes it: file systems and zip know no earlier times than 1980. */
const MTIME_S = 499_162_500;

export function tarOf(files: readonly PackedFile[]): Uint8Array {
  const blocks = files.flatMap(({ name, text, is_program }) => {
    const body = new TextEncoder().encode(text);
    const padding = new Uint8Array((BLOCK - body.length % BLOCK) % BLOCK);
    return [headOf(name, body.length, is_program ? 0o755 : 0o644), body, padding];
  });
  blocks.push(new Uint8Array(2 * BLOCK));
  const whole = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole;
}

function headOf(name: string, size: number, mode: number): Uint8Array {
  const head = new Uint8Array(BLOCK);
  const write = (at: number, text: string) => void new TextEncoder().encodeInto(text, head.subarray(at));
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  write(0, name);
  write(100, octal(mode, 7));
  write(108, octal(0, 7));
  write(116, octal(0, 7));
  write(124, octal(size, 11));
  write(136, octal(MTIME_S, 11));
  // The sum is counted with blanks in its own place.
  write(148, " ".repeat(8));
  write(156, "0");
  write(257, "ustar\0" + "00");
  write(148, `${octal(head.reduce((sum, byte) => sum + byte, 0), 6)} `);
  return head;
}
