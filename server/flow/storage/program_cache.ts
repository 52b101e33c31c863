/** Programs in memory: which one a code names now, and those that runs began with. */
import { LRUCache } from "lru-cache";
import type { Pool, Sql } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import { accountKey, readAccountKey, remember } from "../../remembered.ts";
import type { RunUser } from "../flow.ts";
import { parseProgram, type Step } from "../program/program.ts";

/** How long it is believed which program a code names, where nobody tells of a change. */
const BELIEVED_MS = 5_000;
const REMEMBERED = 1_000;

export interface KnownFlow {
  id: number;
  account_id: number;
  department_id: number | null;
  code: string;
  active: boolean;
  version: number;
}

export interface KnownProgram {
  steps: readonly Step[];
  /** Its text has the word, so that it may ask for the user. */
  names_user: boolean;
}

export interface Programs {
  find(account_id: number, code: string): Promise<KnownFlow | undefined>;
  /** Undefined where the flow is gone; null where an older server has saved what this one cannot read. */
  read(flow_id: number, version: number): Promise<KnownProgram | null | undefined>;
  forget(account_id: number): void;
}

export function createPrograms(sql: Pool, log: Log): Programs {
  const flows = remember<string, KnownFlow>({
    load: (key) => findFlow(sql, ...readAccountKey(key)),
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED,
    notified: {
      sql,
      log,
      channel: "flow_changed",
      matches: ({ account_id }, payload) => account_id === Number(payload),
    },
  });
  const programs = new LRUCache<string, KnownProgram>({ max: REMEMBERED });

  return {
    forget: (account_id) => flows.forgetWhere((flow) => flow.account_id === account_id),
    find: (account_id, code) => flows.find(accountKey(account_id, code)),
    async read(flow_id, version) {
      const key = `${flow_id}/${version}`;
      const remembered = programs.get(key);
      if (remembered) return remembered;
      const program = await findProgram(sql, flow_id, version);
      if (program === undefined) return undefined;
      const read = parseProgram(program);
      if ("faults" in read) {
        log.error("a program cannot be read", { flow: flow_id, version, faults: read.faults });
        return null;
      }
      const known = { steps: read.steps, names_user: /\buser\b/.test(JSON.stringify(program)) };
      programs.set(key, known);
      return known;
    },
  };
}

async function findFlow(sql: Sql, account_id: number, code: string): Promise<KnownFlow | undefined> {
  const [flow] = await sql<KnownFlow[]>`
    select id, account_id, department_id, code, active, version
    from flows
    where account_id = ${account_id}
      and code = ${code}
  `;
  return flow;
}

async function findProgram(sql: Sql, flow_id: number, version: number): Promise<unknown> {
  const [row] = await sql<{ program: unknown }[]>`
    select program from flow_versions where flow_id = ${flow_id} and version = ${version}
  `;
  return row?.program;
}

/** Who started the run, as its program sees them. */
export async function findUser(
  sql: Sql,
  { user_id, account_id }: { user_id: number | null; account_id: number },
): Promise<RunUser | null> {
  if (user_id === null) return null;
  const [user] = await sql<RunUser[]>`
    select id, login, name, email, role from users where id = ${user_id} and account_id = ${account_id}
  `;
  return user ?? null;
}
