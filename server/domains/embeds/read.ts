/** Who may list embedded apps. */
import type { Context } from "../../context.ts";
import { unauthorized } from "../../errors.ts";
import { allowCaller } from "../../viewer.ts";

/**
 * A page token opens its own app only, so it lists none.
 *
 * @throws {Refusal} 401, 403
 */
export function proveLister({ caller }: Context): void {
  if (caller.app_id !== undefined) throw unauthorized("An app's page cannot list other apps");
  allowCaller(caller, "apps:read");
}
