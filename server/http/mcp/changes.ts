/** Changes of agents: rehearsed, made, or asked about first. */
import { signInOrigin } from "../../domains/account/site.ts";
import { askFor, proveAccepted, useConfirmation } from "../../domains/agents/confirmations.ts";
import { type Before, perform } from "../../domains/agents/perform.ts";
import type { Changed, Plan } from "../../domains/agents/schema.ts";
import { invalid, Refusal } from "../../errors.ts";
import type { HttpContext } from "../http_context.ts";
import { readObject } from "./procedures.ts";
import { keyOf, type Kind, KINDS, type ToolAnswer, untrusted, type Use } from "./tool.ts";

/** What a change keeps for an undo. */
export type Keeping = (
  entries: readonly { action: string; object: string; object_id: string }[],
  result: unknown,
) => Before[];

/** Of the one object of a kind that a change writes. @param before as it is read; null for a new one */
export const keepOne = (kind: Kind, before: unknown): Keeping => (entries) => {
  const object: Changed = KINDS[kind].object;
  const entry = entries.find((one) => one.object === object);
  if (!entry) return [];
  const action = entry.action === "create" || entry.action === "delete" ? entry.action : "update";
  return [{ object, object_id: entry.object_id, action, before }];
};

/** A change by one procedure. */
export interface Change {
  procedure: string;
  input: unknown;
  keep: Keeping;
  /** The tool's own name of a field of the procedure, for refusals. */
  nameOf?(field: string): string;
}

async function make(ctx: HttpContext, { procedure, input, nameOf }: Change): Promise<Record<string, unknown>> {
  try {
    return await readObject(ctx, procedure, input);
  } catch (error) {
    if (!nameOf || !(error instanceof Refusal) || !error.fields) throw error;
    throw invalid(Object.fromEntries(Object.entries(error.fields).map(([field, all]) => [nameOf(field), all])));
  }
}

/**
 * Makes the change and rolls it back.
 *
 * @returns undefined where that passed; the procedure's answer where it writes nothing, such as a preview
 * @throws {Refusal}
 */
export async function rehearse({ ctx }: Use, change: Change): Promise<Record<string, unknown> | undefined> {
  return await perform(ctx, { dry_run: true, before: change.keep }, (ctx) => make(ctx, change));
}

/** @throws {Refusal} */
export async function execute({ ctx }: Use, change: Change, confirmation?: string): Promise<Record<string, unknown>> {
  const made = await perform(ctx, { dry_run: false, before: change.keep, confirmation }, (ctx) => make(ctx, change));
  return made ?? {};
}

/** An object as it is. @throws {Refusal} 404 */
export const present = ({ ctx }: Use, kind: Kind, id: string | number) =>
  readObject(ctx, `${KINDS[kind].domain}.find`, keyOf(kind, id));

/** A call that a person confirms. */
export interface Confirmable {
  tool: string;
  /** What the confirmation is for: the arguments without the confirmation itself. */
  args: Record<string, unknown>;
  plan: Plan;
  confirmation: string | undefined;
}

/** A change that loses something: without a confirmation it is rehearsed, and a person is asked. */
export async function executeConfirmed(use: Use, call: Confirmable, change: Change): Promise<ToolAnswer> {
  if (call.confirmation === undefined) await rehearse(use, change);
  const answer = await unconfirmed(use, call);
  if (answer) return answer;
  const done = await execute(use, change, call.confirmation);
  return untrusted({ status: "done", plan: call.plan.title, ...writtenOf(done) });
}

/** What cannot be rehearsed, such as a run. The confirmation is used up before it. */
export async function startConfirmed(
  use: Use,
  call: Confirmable,
  start: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const answer = await unconfirmed(use, call);
  if (answer) return answer;
  if (call.confirmation !== undefined) await useConfirmation(use.ctx.sql, use.session.account_id, call.confirmation);
  return await start();
}

/** @returns undefined where a person has accepted the call. @throws {Refusal} */
async function unconfirmed(use: Use, { tool, args, plan, confirmation }: Confirmable): Promise<ToolAnswer | undefined> {
  const { ctx, session } = use;
  const call = { tool, args };
  if (confirmation === undefined) {
    const { id, expires_at } = await askFor(ctx.sql, session, call, plan);
    const { title, effects } = plan;
    return untrusted({
      status: "needs_confirmation",
      confirmation: id,
      plan: { title, effects },
      accept_at: `${await signInOrigin(ctx, session.account_id)}/account/agents`,
      expires_at,
      next: "Ask the person to accept it there; then repeat this call with `confirmation`",
    });
  }
  if (await proveAccepted(ctx.sql, session, call, confirmation, plan.state)) return undefined;
  return untrusted({ status: "waiting", next: "No person has answered yet: wait until they tell you so" });
}

/** What an agent needs of an object that it has written. */
export function writtenOf(object: Record<string, unknown>): Record<string, unknown> {
  const { id, code, name, url_code, lock_version, version, warnings, webhook_url, sentence, config } = object;
  const of_build = Object(config).warnings;
  const all = {
    id,
    code,
    name,
    url_code,
    lock_version,
    version,
    warnings: of_build ?? warnings,
    webhook_url,
    sentence,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
}
