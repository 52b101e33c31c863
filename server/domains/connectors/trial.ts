/** Calls one method of a connector as a test, and answers with the result or the failure. */
import { ConnectorFault, ParamFault } from "../../connectors/connectors.ts";
import type { Context } from "../../context.ts";
import { Json } from "../../database/json.ts";
import { invalid, notFound } from "../../errors.ts";
import { findCode } from "./queries.ts";
import type { Trial, Tried } from "./schema.ts";

/**
 * A failure of the call is a 200 with `ok` false.
 *
 * @throws {Refusal} 404; 422 on `method`, or on a parameter that is missing or does not fit
 */
export async function tryConnector(ctx: Context, trial: Trial): Promise<Json<Tried>> {
  const { sql, viewer, connectors } = ctx;
  const { id, method, params = {}, body, timeout } = trial;
  const connector_code = await findCode(sql, viewer, id);
  if (connector_code === undefined) throw notFound("Connector");
  const started = performance.now();
  try {
    const { status, ms, headers, body: answered } = await connectors.call({
      account_id: viewer.account_id,
      reach: viewer,
      connector_code,
      method,
      params,
      body,
      public_only: false,
      idempotency_key: undefined,
      timeout_ms: timeout * 1000,
    });
    return asJson({ ok: true, status, ms, headers, body: answered, error: null });
  } catch (error) {
    if (!(error instanceof ConnectorFault)) throw error;
    if (error instanceof ParamFault) throw invalid({ [`params.${error.param}`]: [error.fault] });
    if (error.kind === "unknown") throw invalid({ method: ["is not a method of this connector"] });
    return asJson(failed(error, Math.round(performance.now() - started)));
  }
}

/** Text, because checking 10 MiB against the output schema would block the event loop. */
const asJson = (tried: Tried) => new Json<Tried>(JSON.stringify(tried));

function failed({ kind, message, answer }: ConnectorFault, ms: number): Tried {
  const { status = null, headers = null, body = null } = answer ?? {};
  return { ok: false, status, ms: answer?.ms ?? ms, headers, body, error: { kind, message } };
}
