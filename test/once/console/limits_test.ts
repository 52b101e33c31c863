/** What the console shows of limits is what the server has. */
import { deepEqual } from "node:assert/strict";
import { DEFAULTS } from "../../../client/console/pages/account/limits.ts";
import { DEFAULTS as OF_SERVER } from "../../../server/fairness/rate_limits.ts";

Deno.test("console: the limits shown as defaults are the server's", () => deepEqual(DEFAULTS, OF_SERVER));
