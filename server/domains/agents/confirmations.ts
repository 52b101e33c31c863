/** Destructive calls of agents: asked for by a call, answered by a person, used by the same call once. */
import { UUID } from "../../database/uuid_v7.ts";
import { createHash } from "node:crypto";
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { listJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import { newUuid } from "../../database/uuid_v7.ts";
import { conflict, notFound, Refusal } from "../../errors.ts";
import { allowPerson } from "./program_or_person.ts";
import type { Viewer } from "../../viewer.ts";
import type { AnsweredConfirmation, Confirmation, ConfirmationAnswer, ConfirmationPage, Plan } from "./schema.ts";
import type { Session } from "./sessions.ts";

/** How long a person has to answer, and the agent to make the call. */
const MINUTES = 30;
/** Open questions of one token, in all of its sessions: a person reads each. */
const MOST_OPEN = 20;

const OF_CALL = "Confirmation of exactly this call";

/** A call of a tool. */
export interface ToolCall {
  tool: string;
  args: Record<string, unknown>;
}

/** Equal calls have equal hashes, whatever the order of their keys. */
const hashOf = ({ tool, args }: ToolCall): Uint8Array =>
  createHash("sha256").update(JSON.stringify([tool, sorted(args)])).digest();

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, inner]) => [key, sorted(inner)]),
  );
}

/**
 * The question about a call; an open one about the same call is asked once.
 *
 * @throws {Refusal} 409 with too many open questions
 */
export async function askFor(
  sql: Sql,
  session: Session,
  call: ToolCall,
  plan: Plan,
): Promise<{ id: string; expires_at: string }> {
  const hash = hashOf(call);
  const open = await sql<{ id: string; expires_at: string; same: boolean }[]>`
    select id, iso(expires_at) as expires_at, call_hash = ${hash} and plan ->> 'state' = ${plan.state} as same
    from agent_confirmations
    where user_id = ${session.user_id}
      and account_id = ${session.account_id}
      and token_id = ${session.token_id}
      and answered_at is null
      and expires_at > now()
    order by id
    limit ${MOST_OPEN}
  `;
  const same = open.find((one) => one.same);
  if (same) return { id: same.id, expires_at: same.expires_at };
  if (open.length === MOST_OPEN) {
    throw conflict(null, `${MOST_OPEN} calls with this token already wait for a person: wait until they are answered`);
  }
  const { account_id, user_id, token_id } = session;
  const [row] = await sql<{ id: string; expires_at: string }[]>`
    insert into agent_confirmations (id, account_id, session_id, user_id, token_id, call_hash, tool, plan, expires_at)
    values (
      ${newUuid()}, ${account_id}, ${session.id}, ${user_id}, ${token_id}, ${hash}, ${call.tool},
      ${JSON.stringify(plan)}::text::json, now() + make_interval(mins => ${MINUTES})
    )
    returning id, iso(expires_at) as expires_at
  `;
  if (!row) throw new Error("an insert returned no row");
  return row;
}

/**
 * Proves that a person has accepted exactly this call of this caller. The call uses the confirmation up in its own
 * transaction (`perform.ts`).
 *
 * @returns whether it is accepted; false while it waits for an answer
 * @throws {Refusal} 403 for a declined one; 404 for another caller's or another call's; 409 for one that was used, has
 * expired, or was made for another state of the object
 */
export async function proveAccepted(
  sql: Sql,
  session: Session,
  call: ToolCall,
  id: string,
  state: string,
): Promise<boolean> {
  if (!UUID.test(id)) throw notFound(OF_CALL);
  const [row] = await sql<{ accepted: boolean | null; used: boolean; expired: boolean; state: string }[]>`
    select accepted, used_at is not null as used, expires_at <= now() as expired, plan ->> 'state' as state
    from agent_confirmations
    where id = ${id}
      and account_id = ${session.account_id}
      and user_id = ${session.user_id}
      and token_id = ${session.token_id}
      and call_hash = ${hashOf(call)}
  `;
  if (!row) throw notFound(OF_CALL);
  if (row.used) throw conflict(null, "The confirmation has been used: it is good for one call");
  if (row.accepted === false) throw new Refusal(403, "A person has declined this call");
  if (row.expired) throw conflict(null, "The confirmation has expired: call without it for a new one");
  if (row.state !== state) throw conflict(null, "The object has changed since the plan: call without the confirmation");
  return row.accepted === true;
}

/**
 * Uses an accepted confirmation up.
 *
 * @throws {Refusal} 409 where another call has used it meanwhile
 */
export async function useConfirmation(sql: Sql, account_id: number, id: string): Promise<void> {
  const { count } = await sql`
    update agent_confirmations
    set used_at = now()
    where id = ${id}
      and account_id = ${account_id}
      and accepted
      and used_at is null
      and expires_at > now()
  `;
  if (count === 0) throw conflict(null, "The confirmation has been used or has expired");
}

/** Members see those of their own agents, admins all of the account. */
const seenBy = (sql: Sql, { account_id, user_id, role }: Viewer) =>
  sql`c.account_id = ${account_id} ${role === "admin" ? sql`` : sql`and c.user_id = ${user_id}`}`;

const isOpen = (sql: Sql) => sql`c.answered_at is null and c.expires_at > now()`;

/** Those that wait for an answer, the oldest first. */
export function listConfirmations(sql: Sql, viewer: Viewer, page: ConfirmationPage): Promise<Json<Confirmation[]>> {
  const chosen = sql`from agent_confirmations c where ${seenBy(sql, viewer)} and ${isOpen(sql)}`;
  return listJson<Confirmation>(
    sql,
    sql`
      select
        c.id, c.session_id, (select s.name from agent_sessions s where s.id = c.session_id) as agent, c.user_id,
        (select u.name from users u where u.id = c.user_id) as user_name, c.tool, c.plan ->> 'title' as title,
        c.plan -> 'effects' as effects, iso(c.created_at) as created_at, iso(c.expires_at) as expires_at
      ${chosen}
      order by c.id
      ${slice(sql, page)}
    `,
    sql`select count(*) ${chosen}`,
  );
}

/** @throws {Refusal} 403 for a token; 404; 409 if it was answered or has expired */
export async function answerConfirmation(
  { sql, viewer }: Context,
  { id, accept }: ConfirmationAnswer,
): Promise<AnsweredConfirmation> {
  const [known] = await sql`select from agent_confirmations c where c.id = ${id} and ${seenBy(sql, viewer)}`;
  if (!known) throw notFound("Confirmation");
  allowPerson(viewer);
  const [answered] = await sql<AnsweredConfirmation[]>`
    update agent_confirmations c
    set answered_at = now(), accepted = ${accept}, answered_by_id = ${viewer.user_id}
    where c.id = ${id}
      and ${seenBy(sql, viewer)}
      and ${isOpen(sql)}
    returning id, accepted, iso(answered_at) as answered_at
  `;
  if (answered) return answered;
  throw conflict(null, "This was answered already, or has expired");
}
