/** Tells programs from people, among viewers that viewer.ts has proven. */
import { forbidden, unauthorized } from "../../errors.ts";
import { proveViewer, refuseViewAs, type Viewer } from "../../viewer.ts";

/**
 * The viewer of an API token, for what programs alone call: a browser's session does not count.
 *
 * @throws {Refusal} 401, 429; 403 for `X-View-As`
 */
export async function proveToken(ctx: Parameters<typeof proveViewer>[0]): Promise<Viewer & { token_id: number }> {
  refuseViewAs(ctx.call);
  if (ctx.call.token === undefined) throw unauthorized();
  const viewer = await proveViewer(ctx);
  if (viewer.token_id === null) throw unauthorized();
  return { ...viewer, token_id: viewer.token_id };
}

/**
 * For what a person decides about programs: an API token must not confirm what it asked for.
 *
 * @throws {Refusal} 403
 */
export function allowPerson({ session_id }: Viewer): void {
  if (session_id === null) throw forbidden("Only a person who is signed in to the console may do this");
}
