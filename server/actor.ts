/** Who makes a change, as the audit log names it. */
import type { Call } from "./viewer.ts";

/** How the acting user proved itself, or what acted without a request. */
export const WAYS = ["session", "token", "page", "anonymous", "run", "command", "server"] as const;

export interface Actor {
  /** Null without a login, and for what acts without a request. */
  user_id: number | null;
  via: typeof WAYS[number];
  /** Of the session, the token or the run. */
  id?: number | string;
  /** The app whose page sent the request. */
  app_id?: string;
  address?: string;
  request_id?: string;
  /** Behind a call of `/mcp`. */
  agent?: Call["agent"];
  /** The agent's session whose changes are undone. */
  undoes?: string;
}

/** Evaluated when a change is made: the caller is proven by then. */
export function actorOf({ viewer, caller, address, request_id, agent, undoes }: Call): Actor {
  const user_id = viewer?.viewed_by ?? viewer?.user_id ?? null;
  const id = viewer?.session_id ?? viewer?.token_id ?? undefined;
  const app_id = caller?.app_id;
  const via = app_id !== undefined ? "page" : !viewer ? "anonymous" : viewer.session_id === null ? "token" : "session";
  const known = {
    ...id !== undefined && { id },
    ...app_id !== undefined && { app_id },
    ...agent && { agent },
    ...undoes && { undoes },
  };
  return { user_id, via, ...known, address, request_id };
}

/** A command of `deno task`. */
export const COMMAND: Actor = { user_id: null, via: "command" };
