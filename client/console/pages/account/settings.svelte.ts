/** The account, as its pages of settings read and change it. */
import { api, type Trouble, troubleOf } from "../../api.ts";
import { notify } from "../../notices.svelte.ts";
import { session } from "../../session.svelte.ts";

export type Account = Awaited<ReturnType<typeof api.account.find.query>>;
export type Changes = Parameters<typeof api.account.update.mutate>[0]["account"];

/**
 * Saves the changes and offers to take them back.
 *
 * @param before the values that an undo restores
 * @param onsaved also called after an undo
 * @returns what was refused
 */
export async function saveAccount(
  changes: Changes,
  before: Changes,
  onsaved: (account: Account) => void,
  { undone = false } = {},
): Promise<Trouble | undefined> {
  try {
    const account = await api.account.update.mutate({ account: changes });
    onsaved(account);
    if (!undone) notify("Saved", { undo: () => void saveAccount(before, changes, onsaved, { undone: true }) });
    // The account is saved, whether it can be read again now or not.
    void session.load().catch(() => {});
  } catch (error) {
    const trouble = troubleOf(error);
    if (Object.keys(trouble.fields).length === 0 || undone) notify(trouble.message, { kind: "failed" });
    return trouble;
  }
}
