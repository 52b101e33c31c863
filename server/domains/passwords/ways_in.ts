/**
 * Who may give a person a way to sign in with more rights than the caller's own. A token with scopes may not: whoever
 * holds it could sign in that way, and the scopes would limit nothing. Source: SECURITY.md.
 */
import { forbidden } from "../../errors.ts";
import type { Viewer } from "../../viewer.ts";

/**
 * @param user whose password is set, now or by a link; undefined for a new user
 * @throws {Refusal} 403 for a token with scopes; 403 for a session that sets its own user's password without the current
 *   one: whoever has taken a session over must not keep its user out
 */
export function allowNewPassword(viewer: Viewer, user: number | undefined): void {
  refuseScopes(viewer, "set a password");
  if (viewer.session_id !== null && user === viewer.user_id) {
    throw forbidden("Your own password is changed with the current one: PATCH /account/password.json");
  }
}

/** @throws {Refusal} 403 for a token with scopes that would create, invite, change or delete an admin */
export const allowAdmins = (viewer: Viewer): void => refuseScopes(viewer, "create or change an admin");

/** @throws {Refusal} 403 for a token with scopes: the key's owner opens apps as any user */
export const allowEmbeddingKey = (viewer: Viewer): void => refuseScopes(viewer, "create an embedding key");

function refuseScopes({ scopes }: Viewer, deed: string): void {
  if (scopes !== null) throw forbidden(`A token with scopes cannot ${deed}`);
}
