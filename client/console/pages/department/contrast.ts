/** How well a picture with transparent parts is seen on a background. */

/** Contrast below which a stroke is hard to see (WCAG asks 3 of graphics). */
const LOW = 2;

const linear = (channel: number): number => {
  const part = channel / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};

const luminance = (red: number, green: number, blue: number): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

/**
 * The share of the visible pixels that are hard to see. Zero for a picture without transparent parts, which brings its
 * own background.
 *
 * @param pixels RGBA
 */
export function shareHidden(pixels: Uint8ClampedArray, background: readonly [number, number, number]): number {
  const ground = luminance(...background);
  let seen = 0, hidden = 0, clear = 0;
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + 4);
    if (alpha < 32) clear++;
    if (alpha < 128) continue;
    seen++;
    const own = luminance(red, green, blue);
    const contrast = (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
    if (contrast < LOW) hidden++;
  }
  return seen === 0 || clear === 0 ? 0 : hidden / seen;
}
