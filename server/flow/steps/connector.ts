/** What connector steps do. */
import { type ConnectorCall, ConnectorFault, type Connectors } from "../../connectors/connectors.ts";
import type { JsonValue } from "../../input/json_value.ts";
import { type Effect, StepFault } from "./effect.ts";
import type { JsonObject } from "../flow.ts";
import type { ConnectorStep } from "../program/program.ts";
import { asStored } from "../run/run.ts";

interface Caller {
  account_id: number;
  run_id: string;
  /** Only methods that are public. */
  public_only: boolean;
}

/** @throws {StepFault} */
export async function callConnector(
  connectors: Connectors,
  { account_id, run_id, public_only }: Caller,
  step: ConnectorStep,
  rendered: JsonObject,
  place: string,
  signal: AbortSignal,
): Promise<Effect> {
  const { params, query, headers, body } = rendered;
  const call: ConnectorCall = {
    account_id,
    connector_code: step.connector_code,
    method: step.method,
    params: objectOf(params),
    query: query === undefined ? undefined : objectOf(query),
    headers: headers === undefined ? undefined : textsOf(headers),
    body,
    public_only,
    // The same for every attempt, also of another process.
    idempotency_key: `${run_id}:${place}`,
    timeout_ms: step.timeout * 1000,
    signal,
  };
  try {
    const { status, body } = await connectors.call(call);
    // Whoever goes on with the run reads it again, and must see what is seen now.
    return { output: asStored(body), http_status: status };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ConnectorFault)) throw error;
    const { kind, message, answer } = error;
    const effect = { output: asStored(answer?.body ?? null), http_status: answer?.status ?? null };
    const word = kind === "status" ? answer?.status : kind === "network" || kind === "timeout" ? kind : undefined;
    throw new StepFault(message, word, effect);
  }
}

const objectOf = (value: JsonValue | undefined): Record<string, JsonValue> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};

const textsOf = (value: JsonValue): Record<string, string> =>
  Object.fromEntries(
    Object.entries(objectOf(value)).filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
