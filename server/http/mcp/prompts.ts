/** Prompts for common jobs. */

interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: true }[];
  text(argument: string): string;
}

const prompt = (
  name: string,
  title: string,
  description: string,
  argument: { name: string; description: string },
  text: Prompt["text"],
): Prompt => ({ name, title, description, arguments: [{ ...argument, required: true }], text });

export const PROMPTS: readonly Prompt[] = [
  prompt(
    "build_app",
    "Build an app",
    "An app with a database and, where it needs one, a flow",
    { name: "what", description: "What the app does" },
    (what) =>
      `Build an app in Atrium: ${what}\n\nCall summary. Read the docs apps, databases and platform-types. Create the ` +
      "database first, then flows, then the app; rehearse each with dry_run. At the end check the app, run each flow " +
      "once with dry_run, and tell me its address.",
  ),
  prompt(
    "repair_app",
    "Repair an app",
    "Find and mend what is wrong with an app",
    { name: "app", description: "Its id or name" },
    (app) =>
      `Repair the app ${app} in Atrium.\n\nRead it, check it, and look at the latest runs of the flows that its actions ` +
      "call. Say what is wrong. Mend it with edit, as small as possible: first with dry_run, then without. Check again.",
  ),
  prompt(
    "automate",
    "Automate a job",
    "A flow, and what starts it",
    { name: "job", description: "What is done, and when" },
    (job) =>
      `Automate this in Atrium: ${job}\n\nRead the docs flows, triggers and flow-schema. Create the flow with dry_run, ` +
      "then without, check it, run it with dry_run, and create its trigger.",
  ),
  prompt(
    "explain_run",
    "Explain a run",
    "Why a run of a flow failed, and what mends it",
    { name: "run", description: "The run's id" },
    (run) =>
      `Explain the run ${run} in Atrium: read it and its flow. Say at which step it failed and why, with the values ` +
      "that it had. Propose the smallest change of the program, and check it; do not save it before I agree.",
  ),
];

/** @returns what is wrong, or the prompt */
export function getPrompt(name: string, args: Record<string, string>) {
  const found = PROMPTS.find((prompt) => prompt.name === name);
  if (!found) return `There is no prompt ${name.slice(0, 100)}`;
  const [{ name: key }] = found.arguments as [Prompt["arguments"][number]];
  const value = args[key];
  if (!value) return `The argument ${key} is needed`;
  const content = { type: "text" as const, text: found.text(value.slice(0, 10_000)) };
  return { description: found.description, messages: [{ role: "user" as const, content }] };
}
