/** The example apps that `deno task seed` installs. Each source is a file in this folder. */
import type { CssEngine, Engine } from "../../server/compiler/compiler.ts";

export interface GalleryApp {
  name: string;
  url_code: string;
  description: string;
  app_engine: Engine;
  css_engine: CssEngine;
  dashboard_widget: boolean;
  /** The name of its source file. */
  file: string;
}

export const GALLERY: readonly GalleryApp[] = [
  {
    name: "Daylight",
    url_code: "daylight",
    description: "A day in three parts. Every task that is done moves the sun, and the last one sets it.",
    app_engine: "svelte",
    css_engine: "tailwind",
    dashboard_widget: true,
    file: "daylight.svelte",
  },
  {
    name: "Windowsill",
    url_code: "windowsill",
    description: "Habits of a week, one pot each. A day kept is a leaf, seven are a flower.",
    app_engine: "vue",
    css_engine: "tailwind",
    dashboard_widget: true,
    file: "windowsill.vue",
  },
  {
    name: "Carry-on",
    url_code: "carry-on",
    description: "A packing list that knows what things weigh, and a suitcase that knows what it may.",
    app_engine: "react",
    css_engine: "tailwind",
    dashboard_widget: false,
    file: "carry_on.jsx",
  },
  {
    name: "Meridian",
    url_code: "meridian",
    description: "One dial of 24 hours with nine places on it: who is awake, and when all of them will be.",
    app_engine: "js",
    css_engine: "none",
    dashboard_widget: true,
    file: "meridian.js",
  },
  {
    name: "Small marks",
    url_code: "small-marks",
    description: "A field guide to dashes, quotes and other signs, with a bench that sets plain typing right.",
    app_engine: "html",
    css_engine: "none",
    dashboard_widget: false,
    file: "small_marks.html",
  },
  {
    name: "Snowline",
    url_code: "snowline",
    description: "Ski down a slope without an end, through the gates and past the trees.",
    app_engine: "kaboom",
    css_engine: "none",
    dashboard_widget: false,
    file: "snowline.js",
  },
  {
    name: "Firefly",
    url_code: "firefly",
    description: "Your light fades. Gather sparks over the meadow, and mind the moths.",
    app_engine: "phaser",
    css_engine: "none",
    dashboard_widget: false,
    file: "firefly.js",
  },
];

export const readSource = ({ file }: GalleryApp): Promise<string> => Deno.readTextFile(new URL(file, import.meta.url));
