/** The options of `deno task bench`. */
import { parseArgs } from "node:util";

const text = (value: string) => ({ type: "string", default: value }) as const;
const OPTIONS = {
  only: text(""),
  seconds: text("3"),
  rounds: text("5"),
  connections: text("32"),
  records: text("10k,100k"),
  triggers: text("10000"),
  rows: text("1m"),
  at: text(""),
  uses: text("20"),
  events: text("30"),
  help: { type: "boolean", default: false },
} as const;

const WORDS: Record<Exclude<keyof typeof OPTIONS, "help">, string> = {
  only: "sections, or the beginnings of names of works in the sections requests and records: --only=read,update",
  seconds: "of each measurement",
  rounds: "in which the subjects take turns",
  connections: "of the load",
  records: "numbers of records in the databases of the section records",
  triggers: "of the section crons",
  rows: "of the section grid",
  at: "the databases of the section grid, which are filled once and kept: postgres://…,/folder",
  uses: "how often the section console uses the console before it reads its memory",
  events: "seconds of changes in the section events",
};

/** @param sections the names of all sections */
export const usageOf = (sections: readonly string[]): string =>
  [
    "deno task bench [options]",
    "",
    ...Object.entries(WORDS).map(([name, words]) => {
      const { default: value } = OPTIONS[name as keyof typeof WORDS];
      return `  --${`${name}=${value || "…"}`.padEnd(20)} ${words}`;
    }),
    "",
    `Sections: ${sections.join(", ")}. Without --only all of them run.`,
  ].join("\n");

/** @throws {Error} that names an unknown option, or one whose value is no number */
export function readOptions(args: string[]) {
  const { values } = parseArgs({ args, options: OPTIONS });
  const number = (name: "seconds" | "rounds" | "connections" | "triggers" | "uses" | "events") => {
    const value = Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0, and is ${values[name]}`);
    return value;
  };
  return {
    ...values,
    only: values.only.split(",").filter(Boolean),
    seconds: number("seconds"),
    rounds: number("rounds"),
    connections: number("connections"),
    triggers: number("triggers"),
    uses: number("uses"),
    events: number("events"),
  };
}
