/** A tiny image of every kind that a logo may be, and a file that is none. */
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

/** A PNG of this many bytes: whatever follows its last chunk belongs to nobody, and is kept all the same. */
export function largePng(size: number): Uint8Array<ArrayBuffer> {
  const large = new Uint8Array(size);
  // Every byte value occurs, so that no text conversion goes unnoticed.
  for (let index = 0; index < size; index++) large[index] = index * 31;
  large.set(PNG);
  return large;
}

export const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;
