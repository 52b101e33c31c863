/** A logo for pictures of a department: two wheels on a transparent ground. */
import { crc32, deflateSync } from "node:zlib";

const WIDTH = 320;
const HEIGHT = 160;
const INK = [24, 92, 120, 255];
const NONE = [0, 0, 0, 0];

/** Whether a point belongs to one of the rings or to the bar between them. */
function isInk(x: number, y: number): boolean {
  const rings = [80, 240].some((at) => Math.abs(Math.hypot(x - at, y - 88) - 58) < 7);
  const bar = Math.abs(y - 88) < 5 && x > 80 && x < 240;
  const mast = Math.abs(x - 160) < 5 && y > 24 && y < 88;
  return rings || bar || mast;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = new Uint8Array([...new TextEncoder().encode(type), ...data]);
  const out = new DataView(new ArrayBuffer(body.length + 8));
  out.setUint32(0, data.length);
  new Uint8Array(out.buffer).set(body, 4);
  out.setUint32(body.length + 4, crc32(body));
  return new Uint8Array(out.buffer);
}

export function logoPng(): Uint8Array<ArrayBuffer> {
  const size = new DataView(new ArrayBuffer(13));
  size.setUint32(0, WIDTH);
  size.setUint32(4, HEIGHT);
  // Eight bits a channel, red, green, blue and transparency.
  new Uint8Array(size.buffer).set([8, 6, 0, 0, 0], 8);
  const rows = Array.from({ length: HEIGHT }, (_, y) => [
    0,
    ...Array.from({ length: WIDTH }, (_, x) => (isInk(x, y) ? INK : NONE)).flat(),
  ]);
  return new Uint8Array([
    ...[137, 80, 78, 71, 13, 10, 26, 10],
    ...chunk("IHDR", new Uint8Array(size.buffer)),
    ...chunk("IDAT", deflateSync(new Uint8Array(rows.flat()))),
    ...chunk("IEND", new Uint8Array()),
  ]);
}
