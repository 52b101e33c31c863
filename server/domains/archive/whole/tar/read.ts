/**
 * Reads tar while it arrives, file by file: ustar, with the extensions for long names of POSIX (pax) and GNU. A file's
 * name is only compared with known names: nothing is written to a disk.
 */
import { badRequest, Refusal } from "../../../../errors.ts";
import { BLOCK, padded, sumOf } from "./write.ts";

export interface ArchivedFile {
  name: string;
  body: Uint8Array<ArrayBuffer>;
}

/** Bytes of the largest file. An export cuts its files at 1 MiB; a single row may be longer. */
export const LARGEST_FILE = 32 * 1024 * 1024;
/** Bytes of a header that says a longer name. */
const LARGEST_EXTENSION = 64 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** @throws {Refusal} 400 with the name of the file where the archive is broken; 413 for a file that is too large */
export async function* filesOf(
  chunks: AsyncIterable<Uint8Array>,
  largest = LARGEST_FILE,
): AsyncGenerator<ArchivedFile, void, undefined> {
  const source = createSource(chunks);
  let before = "";
  /** The name of the next file, where an extension says it. */
  let long_name: string | undefined;
  for (;;) {
    const header = await source.take(BLOCK);
    if (header.length < BLOCK) throw cutOff(before);
    if (header.every((byte) => byte === 0)) return await readEnd(source, before);
    const { name: short_name, size, type } = readHeader(header, before);
    const is_extension = type === "x" || type === "g" || type === "L";
    const name = is_extension ? short_name : long_name ?? short_name;
    if (size > (is_extension ? LARGEST_EXTENSION : largest)) throw fileTooLarge(name, largest);
    const blocks = await source.take(padded(size));
    if (blocks.length < padded(size)) throw cutOff(name);
    const body = blocks.subarray(0, size);
    if (type === "L") long_name = textOf(body, `The file ${name}`).replace(/\0+$/, "");
    else if (type === "x") long_name = pathOf(body, name) ?? long_name;
    else if (type !== "g") {
      long_name = undefined;
      before = name;
      // A folder.
      if (type === "5") continue;
      if (type !== "0") throw badRequest(`The file ${name} is a link or a device, which no archive of an account has`);
      yield { name: name.replace(/^\.\//, ""), body };
    }
  }
}

/** The second empty block, and what tar programs fill up with. */
async function readEnd({ take }: Source, before: string): Promise<void> {
  if ((await take(BLOCK)).length < BLOCK) throw cutOff(before);
  for (;;) {
    const rest = await take(BLOCK);
    if (rest.length === 0) return;
    if (rest.some((byte) => byte !== 0)) throw badRequest("The archive goes on behind its end");
  }
}

const cutOff = (name: string) =>
  badRequest(name === "" ? "The body is no tar archive" : `The archive is cut off at ${name}`);

const fileTooLarge = (name: string, largest: number) =>
  new Refusal(413, `The file ${name} is larger than ${largest.toLocaleString("en")} bytes`, {
    headers: { connection: "close" },
  });

function readHeader(header: Uint8Array, before: string): { name: string; size: number; type: string } {
  const where = before === "" ? "The body is no tar archive" : `The archive is broken behind ${before}`;
  const field = (at: number, length: number): string => {
    const bytes = header.subarray(at, at + length);
    const end = bytes.indexOf(0);
    return textOf(end === -1 ? bytes : bytes.subarray(0, end), where);
  };
  const number = (at: number, length: number): number => {
    const text = field(at, length).trim();
    if (!/^[0-7]+$/.test(text)) throw badRequest(`${where}: a number in its header is not octal`);
    return parseInt(text, 8);
  };
  if (number(148, 8) !== sumOf(header)) throw badRequest(`${where}: the checksum of its header is wrong`);
  // The prefix is a part of ustar; an older header has other bytes there.
  const is_posix = field(257, 6) === "ustar";
  const prefix = is_posix ? field(345, 155) : "";
  const name = field(0, 100);
  const type = field(156, 1) || "0";
  return { name: prefix ? `${prefix}/${name}` : name, size: number(124, 12), type: type === "7" ? "0" : type };
}

/** The `path` of a pax header, whose records are `<length> <key>=<value>\n`. */
function pathOf(body: Uint8Array, name: string): string | undefined {
  let rest = body;
  let path: string | undefined;
  while (rest.length > 0) {
    const length = parseInt(textOf(rest.subarray(0, Math.min(10, rest.indexOf(0x20) + 1)), name), 10);
    if (!(length > 2 && length <= rest.length)) throw badRequest(`The extended header ${name} is broken`);
    const [, key, value] = /^\d+ ([^=]+)=([^]*)\n$/.exec(textOf(rest.subarray(0, length), name)) ?? [];
    if (key === "path") path = value;
    if (key === "size") throw badRequest(`The extended header ${name} says another size: that is not supported`);
    rest = rest.subarray(length);
  }
  return path;
}

function textOf(bytes: Uint8Array, where: string): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest(`${where}: a name is not valid UTF-8`);
  }
}

interface Source {
  /** Fewer bytes at the end. */
  take(length: number): Promise<Uint8Array<ArrayBuffer>>;
}

function createSource(chunks: AsyncIterable<Uint8Array>): Source {
  const iterator = chunks[Symbol.asyncIterator]();
  let chunk: Uint8Array = new Uint8Array();
  return {
    async take(length) {
      const taken = new Uint8Array(length);
      let filled = 0;
      while (filled < length) {
        if (chunk.length === 0) {
          const { value, done } = await iterator.next();
          if (done) break;
          chunk = value;
          continue;
        }
        const part = chunk.subarray(0, length - filled);
        taken.set(part, filled);
        filled += part.length;
        chunk = chunk.subarray(part.length);
      }
      return taken.subarray(0, filled);
    },
  };
}
