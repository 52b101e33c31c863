/** Writes tar (POSIX ustar): a header of 512 bytes before each file, whose bytes are filled up to such blocks. */
export const BLOCK = 512;
/** Two empty blocks end an archive, so that one that was cut off is recognised. */
export const END = new Uint8Array(2 * BLOCK);

const LONGEST_NAME = 100;
const LONGEST_PREFIX = 155;
/** Eleven octal digits. A longer file would need an extension that this writer lacks. */
const LARGEST = 0o77777777777;

const encoder = new TextEncoder();

/**
 * @param name with `/` between folders; ASCII
 * @param modified milliseconds
 * @throws {RangeError} for a name of more than 255 characters or a file of 8 GiB
 */
export function fileOf(name: string, body: Uint8Array, modified: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(BLOCK + padded(body.length));
  whole.set(headerOf(name, body.length, modified));
  whole.set(body, BLOCK);
  return whole;
}

/** A length in whole blocks. */
export const padded = (length: number): number => Math.ceil(length / BLOCK) * BLOCK;

function headerOf(path: string, size: number, modified: number): Uint8Array {
  if (size > LARGEST) throw new RangeError(`${path} is too large for an archive`);
  const header = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => header.set(encoder.encode(text), at);
  const { prefix, name } = splitName(path);
  put(0, name);
  put(100, octal(0o644, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(size, 11));
  put(136, octal(Math.floor(modified / 1_000), 11));
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\0" + "00");
  put(345, prefix);
  put(148, `${octal(sumOf(header), 6)}\0 `);
  return header;
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");

/** The sum of a header's bytes. The eight bytes of the sum itself count as spaces. */
export function sumOf(header: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : header[at] ?? 0;
  return sum;
}

function splitName(path: string): { prefix: string; name: string } {
  if (path.length <= LONGEST_NAME) return { prefix: "", name: path };
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (prefix.length <= LONGEST_PREFIX && name.length <= LONGEST_NAME) return { prefix, name };
  }
  throw new RangeError(`${path} is too long for the name of a file in an archive`);
}
