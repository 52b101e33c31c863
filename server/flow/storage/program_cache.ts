/** Flows and programs in memory: the current version of each flow, and the versions that runs in flight use. */
import { bounded } from "../../remembered.ts";
import type { Pool, Sql } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import type { RunsAs } from "../../reach.ts";
import { accountKey, readAccountKey, remember } from "../../remembered.ts";
import { readSchema } from "../declared/schema.ts";
import type { JsonSchema } from "../declared/shape.ts";
import { type Grant, roleWithin } from "../../secrets/grant.ts";
import { parseProgram } from "../program/program.ts";
import type { RunUser } from "../run/model.ts";
import type { Step } from "../steps/step.ts";

/** How long a flow is used without a notification of a change. */
const BELIEVED_MS = 5_000;
/** Flows, and versions of programs. */
const MOST_ENTRIES = 1_000;

export interface KnownFlow {
  id: number;
  account_id: number;
  department_id: number | null;
  code: string;
  active: boolean;
  version: number;
  /** Its current version declares an input, or secret ones. */
  declares_input: boolean;
  /** Runs that may be in progress; null without a limit. */
  max_at_once: number | null;
}

export interface KnownProgram {
  steps: readonly Step[];
  /** The program's text contains the word `user`, so its templates may need the user. */
  names_user: boolean;
  /** The user who wrote this version; null if that user was deleted. */
  author_id: number | null;
  runs_as: RunsAs;
  /** What a run's input and output must match. */
  input: JsonSchema | undefined;
  output: JsonSchema | undefined;
  /** Names of inputs that are not shown. */
  secret_inputs: readonly string[];
  /** The code of the flow that is called when a run ends in error. */
  on_failure: string | null;
}

/** A version of a program never changes. */
export interface ProgramVersion {
  account_id: number;
  flow_id: number;
  flow_version: number;
}

export interface Programs {
  find(account_id: number, code: string): Promise<KnownFlow | undefined>;
  /** @returns undefined if the flow was deleted; null if this server cannot parse what an older one stored */
  read(version: ProgramVersion): Promise<KnownProgram | null | undefined>;
  /** Invalidates the flows of an account. */
  forget(account_id: number): void;
}

export function createPrograms(sql: Pool, log: Log): Programs {
  const flows = remember<string, KnownFlow>({
    load: (key) => findFlow(sql, ...readAccountKey(key)),
    believed_ms: BELIEVED_MS,
    limit: MOST_ENTRIES,
    notified: {
      sql,
      log,
      channel: "flow_changed",
      matches: ({ account_id }, payload) => account_id === Number(payload),
    },
  });
  const programs = bounded<string, KnownProgram>(MOST_ENTRIES);

  return {
    forget: (account_id) => flows.forgetWhere((flow) => flow.account_id === account_id),
    find: (account_id, code) => flows.find(accountKey(account_id, code)),
    async read(version) {
      const { account_id, flow_id, flow_version } = version;
      const key = `${account_id}/${flow_id}/${flow_version}`;
      const cached = programs.get(key);
      if (cached) return cached;
      const stored = await findProgram(sql, version);
      if (stored === undefined) return undefined;
      const { program, author_id, runs_as, input, output, secret_inputs, on_failure } = stored;
      const read = parseProgram(program);
      if ("faults" in read) {
        log.error("a program cannot be read", { flow: flow_id, version: flow_version, faults: read.faults });
        return null;
      }
      const names_user = /\buser\b/.test(JSON.stringify(program));
      const known = {
        steps: read.steps,
        names_user,
        author_id,
        runs_as,
        input: readSchema(input),
        output: readSchema(output),
        secret_inputs,
        on_failure,
      };
      programs.set(key, known);
      return known;
    },
  };
}

async function findFlow(sql: Sql, account_id: number, code: string): Promise<KnownFlow | undefined> {
  const [flow] = await sql<KnownFlow[]>`
    select id, account_id, department_id, code, active, version, max_at_once,
      input is not null or secret_inputs <> '{}' as declares_input
    from flows
    where account_id = ${account_id}
      and code = ${code}
  `;
  return flow;
}

interface StoredProgram extends Pick<KnownProgram, "author_id" | "runs_as" | "secret_inputs" | "on_failure"> {
  program: unknown;
  input: unknown;
  output: unknown;
}

async function findProgram(
  sql: Sql,
  { account_id, flow_id, flow_version }: ProgramVersion,
): Promise<StoredProgram | undefined> {
  const [row] = await sql<StoredProgram[]>`
    select v.program, v.author_id, v.runs_as, v.input, v.output, v.secret_inputs, v.on_failure
    from flow_versions v
    join flows f on f.id = v.flow_id
    where v.flow_id = ${flow_id}
      and v.version = ${flow_version}
      and f.account_id = ${account_id}
  `;
  return row;
}

/** The user who started the run, with the role within the run's grant; null without a user, and if it was deleted. */
export async function findUser(
  sql: Sql,
  { user_id, account_id, grant }: { user_id: number | null; account_id: number; grant?: Grant | undefined },
): Promise<RunUser | null> {
  if (user_id === null) return null;
  const [user] = await sql<RunUser[]>`
    select id, login, name, email, role from users where id = ${user_id} and account_id = ${account_id}
  `;
  if (!user) return null;
  return grant ? { ...user, role: roleWithin(user.role, grant) } : user;
}
