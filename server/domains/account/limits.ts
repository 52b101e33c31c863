/** The limits in force, and what is used of them. docs/limits.md explains them. */
import type { Context } from "../../context.ts";
import { DEFAULTS } from "../../fairness/rate_limits.ts";
import { MOST_WAITING, RUN_LIMITS } from "../../flow/flow.ts";
import { readAccount } from "./queries.ts";
import type { LimitsInForce } from "./schema.ts";

const WINDOW_S = 60;

export async function readLimits({ sql, viewer, call, limits, flows }: Context): Promise<LimitsInForce> {
  const { account_id } = viewer;
  const [rates, account, pending, waiting] = await Promise.all([
    limits.usage({ account_id, viewer, address: call.address }),
    readAccount(sql, account_id),
    flows.pending(account_id, RUN_LIMITS.most_per_account),
    flows.countWaiting(account_id),
  ]);
  const own = account.parse().rate_limits;
  return {
    window_s: WINDOW_S,
    rates: rates.map((rate) => ({ ...rate, default: DEFAULTS[rate.name], own: own[rate.name] !== undefined })),
    runs: {
      in_progress: pending.length,
      most: RUN_LIMITS.most_per_account,
      waiting,
      most_waiting: MOST_WAITING,
      at_once: RUN_LIMITS.at_once_per_account,
      minutes: RUN_LIMITS.run_ms / 60_000,
    },
  };
}
