/** Answers to questions of runs, for the audit log's test. */
import type { Sent } from "../../stage/harness.ts";
import { type Ask, made } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";
import type { Written } from "./user_writes.ts";

/** A run that waits for an answer. @returns the approval's id and the token of its link */
async function question(ask: Ask): Promise<{ id: string; token: string }> {
  const told = { type: "mutation", set: { url: "{approval.url}" } };
  const program = [{ type: "approval", question: "Go?", roles: ["admin"], link: true, ask: [told] }];
  const name = `Question ${crypto.randomUUID()}`;
  const flow = made(await ask("POST", "/connect/flows.json", { json: { flow: { name, fields: { program } } } }));
  const run = await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
  const inspect = async () => (await ask("GET", `/connect/flow_processes/${run.body.flow_process_id}.json`)).body;
  await until(async () => (await inspect()).status === "waiting", "it waits");
  const [{ output }, { begun }] = (await inspect()).steps;
  return { id: begun.awaits, token: new URL(output.url).searchParams.get("token") ?? "" };
}

const form = (fields: Record<string, string>): Sent => ({
  token: null,
  raw: new URLSearchParams(fields).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded" },
});

export const APPROVAL_WRITES: Record<string, Written> = {
  "approvals.answer": {
    row: "approval.update",
    call: async ({ ask }) =>
      await ask("POST", `/connect/approvals/${(await question(ask)).id}.json`, { json: { choice: "approve" } }),
  },
  answer_approval: {
    row: "approval.update",
    call: async ({ ask }) =>
      await ask("POST", "/approval", form({ token: (await question(ask)).token, choice: "reject" })),
  },
};
