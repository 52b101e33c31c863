/**
 * The templates of the New app page, in its order. The source and the database of each are loaded when it is chosen.
 * A source's file has one dot: its name becomes that of the chunk, and `/console/` serves no other names.
 */
import type { Template } from "./templates/template.ts";

const BLANK = { key: "blank", name: "Blank page" } as const;
const sourceOf = async (module: Promise<{ default: string }>) => ({ source_code: (await module).default });
const startOf = async (module: Promise<{ start: Awaited<ReturnType<Template["load"]>> }>) => (await module).start;

export const TEMPLATES: readonly Template[] = [
  {
    ...BLANK,
    text: "A heading and a button that counts",
    app_engine: "svelte",
    css_engine: "tailwind",
    load: () => sourceOf(import("./templates/blank/blank_svelte.txt", { with: { type: "text" } })),
  },
  {
    key: "board",
    name: "Board",
    text: "Notices that everyone sees at once",
    app_engine: "svelte",
    css_engine: "tailwind",
    has_db: true,
    load: () => startOf(import("./templates/board.ts")),
  },
  {
    key: "form",
    name: "Form",
    text: "Everyone may answer; only you read",
    app_engine: "html",
    css_engine: "none",
    public: true,
    has_db: true,
    load: () => startOf(import("./templates/form.ts")),
  },
  {
    key: "table",
    name: "Table",
    text: "Search, add, edit and delete records",
    app_engine: "vue",
    css_engine: "tailwind",
    has_db: true,
    load: () => startOf(import("./templates/table.ts")),
  },
  {
    key: "chart",
    name: "Chart",
    text: "Bars and lines over records, by week",
    app_engine: "js",
    css_engine: "none",
    has_db: true,
    load: () => startOf(import("./templates/chart.ts")),
  },
  {
    key: "calendar",
    name: "Calendar",
    text: "A month of appointments, shared",
    app_engine: "svelte",
    css_engine: "tailwind",
    has_db: true,
    load: () => startOf(import("./templates/calendar.ts")),
  },
  {
    key: "kanban",
    name: "Kanban",
    text: "Cards that are dragged between columns",
    app_engine: "react",
    css_engine: "tailwind",
    has_db: true,
    load: () => startOf(import("./templates/kanban.ts")),
  },
  {
    key: "checklist",
    name: "Checklist",
    text: "The shortest app that does something",
    app_engine: "svelte",
    css_engine: "tailwind",
    load: () => sourceOf(import("./templates/checklist_svelte.txt", { with: { type: "text" } })),
  },
  {
    key: "hop",
    name: "Hop",
    text: "A game: jump over stones, twice if need be",
    app_engine: "kaboom",
    css_engine: "none",
    load: () => sourceOf(import("./templates/game_kaboom.txt", { with: { type: "text" } })),
  },
  {
    key: "bricks",
    name: "Bricks",
    text: "A game: a ball, a bat and a wall",
    app_engine: "phaser",
    css_engine: "none",
    load: () => sourceOf(import("./templates/game_phaser.txt", { with: { type: "text" } })),
  },
  {
    ...BLANK,
    text: "A heading and a button that counts",
    app_engine: "vue",
    css_engine: "tailwind",
    load: () => sourceOf(import("./templates/blank/blank_vue.txt", { with: { type: "text" } })),
  },
  {
    ...BLANK,
    text: "A heading and a button that counts",
    app_engine: "react",
    css_engine: "tailwind",
    load: () => sourceOf(import("./templates/blank/blank_jsx.txt", { with: { type: "text" } })),
  },
  {
    ...BLANK,
    text: "A heading and a button that counts",
    app_engine: "js",
    css_engine: "none",
    load: () => sourceOf(import("./templates/blank/blank_js.txt", { with: { type: "text" } })),
  },
  {
    ...BLANK,
    text: "A heading and a sentence",
    app_engine: "html",
    css_engine: "none",
    load: () => sourceOf(import("./templates/blank/blank_html.txt", { with: { type: "text" } })),
  },
  {
    ...BLANK,
    text: "A ball that follows the pointer",
    app_engine: "kaboom",
    css_engine: "none",
    load: () => sourceOf(import("./templates/blank/blank_kaboom.txt", { with: { type: "text" } })),
  },
  {
    ...BLANK,
    text: "A ball that follows the pointer",
    app_engine: "phaser",
    css_engine: "none",
    load: () => sourceOf(import("./templates/blank/blank_phaser.txt", { with: { type: "text" } })),
  },
];

/** Without an engine, the blank page of Svelte stands for those of all engines. */
export const templatesOf = (engine: Template["app_engine"] | undefined): Template[] =>
  TEMPLATES.filter((template) =>
    engine ? template.app_engine === engine : template.key !== "blank" || template.app_engine === "svelte"
  );
