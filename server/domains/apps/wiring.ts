/**
 * Who wired an app's actions to flows. Everyone who sees the app may call its actions, so each action has an author,
 * who must see its flow: when the action is written, and at each call.
 */
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../context.ts";
import { invalid } from "../../errors.ts";
import { hasReach } from "../../reach.ts";
import { seesAll } from "../../visibility.ts";
import { listVisibleFlows, type Written } from "./queries.ts";
import type { App } from "./schema.ts";

type Before = Pick<Written, "actions" | "action_authors">;

/**
 * The authors of the actions after a change. The viewer becomes the author of new and changed actions, of actions that
 * the change opens to everyone, and of those whose author may not write them any more.
 *
 * @param opens the change opens the app, and with it its public actions
 * @throws {Refusal} 422 if the viewer does not see everything and one of these flows is not visible to the viewer
 */
export async function authorsOf(
  ctx: Context,
  actions: App["actions"],
  before: Before = { actions: [], action_authors: {} },
  opens = false,
): Promise<Record<string, number>> {
  const { viewer, viewers } = ctx;
  const sees = await seenFlows(ctx, actions);
  const faults: [string, string[]][] = [];
  const authors = await Promise.all(actions.map(async (action, index): Promise<[string, number] | []> => {
    const { action: name, flow_code } = action;
    const author = Object.hasOwn(before.action_authors, name) ? before.action_authors[name] : undefined;
    const is_kept = before.actions.some((known) => isDeepStrictEqual(known, action)) && !(opens && action.public);
    if (!is_kept && !sees(flow_code)) faults.push([`actions.${index}.flow_code`, ["must exist"]]);
    const stays = is_kept && (!sees(flow_code) || await hasReach(viewers.users, viewer.account_id, author ?? null));
    if (!stays) return [name, viewer.user_id];
    return author === undefined ? [] : [name, author];
  }));
  if (faults.length > 0) throw invalid(Object.fromEntries(faults.toSorted(([a], [b]) => a < b ? -1 : 1)));
  return Object.fromEntries(authors.filter((author) => author.length === 2));
}

/** Which codes a viewer may name. A viewer who sees everything may also name flows that do not exist yet. */
async function seenFlows({ sql, viewer }: Context, actions: App["actions"]): Promise<(code: string) => boolean> {
  if (seesAll(viewer) || actions.length === 0) return () => true;
  const codes = [...new Set(actions.map(({ flow_code }) => flow_code))];
  const seen = new Set((await listVisibleFlows(sql, viewer, codes)).map(({ code }) => code));
  return (code) => seen.has(code);
}
