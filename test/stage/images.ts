/** A tiny image of each format that a logo may have, and an SVG, which it may not be. */
const bytes = (base64: string) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));

export const PNG = bytes(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);
export const GIF = bytes("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");
export const WEBP = bytes("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA");
export const JPEG = bytes(
  "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQ" +
    "Ew8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=",
);

/** A PNG of this many bytes. The bytes after its last chunk have no meaning, but must be stored. */
export function largePng(size: number): Uint8Array<ArrayBuffer> {
  const large = new Uint8Array(size);
  // Every byte value occurs, so that any conversion to text and back shows.
  for (let index = 0; index < size; index++) large[index] = index * 31;
  large.set(PNG);
  return large;
}

export const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;
