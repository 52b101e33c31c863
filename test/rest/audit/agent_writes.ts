/** An answer to an agent's question, for the audit log's test. */
import { connectAgent } from "../../stage/agents/agent.ts";
import { ADMIN_TOKEN } from "../../stage/harness.ts";
import { addSession } from "../../stage/people.ts";
import type { Written } from "./user_writes.ts";

export const AGENT_WRITES: Record<string, Written> = {
  "agents.confirmations.answer": {
    row: "agent_confirmation.update",
    call: async ({ ask, server }) => {
      const agent = await connectAgent(server, ADMIN_TOKEN);
      const { code } = await agent.call("create", { kind: "db", value: { name: `Asked ${crypto.randomUUID()}` } });
      const { confirmation } = await agent.call("delete", { kind: "db", id: code });
      await agent.close();
      const { cookie } = await addSession(server, 1);
      return await ask("POST", `/account/agent_confirmations/${confirmation}.json`, {
        token: null,
        json: { accept: false },
        headers: { cookie, "sec-fetch-site": "same-origin" },
      });
    },
  },
};
