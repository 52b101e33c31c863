/** Answers to questions of runs, for the audit log's test. */
import { signApproval } from "../../../server/secrets/approval_links.ts";
import { keysOf, type Sent } from "../../stage/harness.ts";
import { type Ask, made } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";
import type { Written } from "./user_writes.ts";

/** A run that waits for an answer. @returns the approval's id */
async function question(ask: Ask): Promise<string> {
  const program = [{ type: "approval", question: "Go?", roles: ["admin"], link: true }];
  const name = `Question ${crypto.randomUUID()}`;
  const flow = made(await ask("POST", "/connect/flows.json", { json: { flow: { name, fields: { program } } } }));
  const run = await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
  const inspect = async () => (await ask("GET", `/connect/flow_processes/${run.body.flow_process_id}.json`)).body;
  await until(async () => (await inspect()).status === "waiting", "it waits");
  return (await inspect()).steps[0].begun.awaits;
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
      await ask("POST", `/connect/approvals/${await question(ask)}.json`, { json: { choice: "approve" } }),
  },
  answer_approval: {
    row: "approval.update",
    call: async ({ ask, server }) => {
      const { token } = signApproval(await keysOf(server), await question(ask));
      return await ask("POST", "/approval", form({ token, choice: "reject" }));
    },
  },
};
