/** The credentials of an operation, as OpenAPI writes them: any entry of a list suffices, and `{}` is none. */
import type { PlainRoute } from "../plain_route.ts";

export const SECURITY: Record<PlainRoute["callers"], Record<string, string[]>[]> = {
  viewers: [{ token: [] }],
  "viewers and visitors": [{}, { token: [] }],
  "any caller": [{}, { token: [] }, { page: [] }],
  everyone: [{}],
};
