/** Names a browser and its system for people, from a `User-Agent`. Both can be anything: clients choose the header. */

const BROWSERS: [name: string, token: RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\b(OPR|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
  ["curl", /^curl\//],
  ["Deno", /^Deno\//],
];

const SYSTEMS: [name: string, token: RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** Such as `Firefox on Linux`. */
export function deviceOf(user_agent: string | null): string {
  const first = (of: [string, RegExp][]) => of.find(([, token]) => token.test(user_agent ?? ""))?.[0];
  const [browser, system] = [first(BROWSERS), first(SYSTEMS)];
  if (!browser) return system ?? "Unknown device";
  return system ? `${browser} on ${system}` : browser;
}
