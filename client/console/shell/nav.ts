/** The destinations of the side bar and the palette. */
import type { IconName } from "../parts/icons.ts";

export interface Destination {
  name: string;
  href: string;
  icon: IconName;
  /** Pressed after `g`. */
  key: string;
}

export const DESTINATIONS: readonly Destination[] = [
  { name: "Home", href: "/", icon: "house", key: "h" },
  { name: "Apps", href: "/apps", icon: "layout-grid", key: "a" },
];
