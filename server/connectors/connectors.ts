/**
 * What the rest of the server knows of connectors: an address elsewhere, how it is let in, and the methods that flows
 * may call. How a call is made stands in `call.ts`; what may be reached at all in `egress.ts`.
 */

import type { JsonValue } from "../input/json_value.ts";

export interface ConnectorCall {
  account_id: number;
  connector_code: string;
  method: string;
  /** Fill `{name}` in the method's path, query, headers and body. */
  params: Readonly<Record<string, JsonValue>>;
  /** Instead of the method's own. */
  query?: Readonly<Record<string, JsonValue>> | undefined;
  /** Beside the method's own. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Instead of the method's own; undefined is that. */
  body?: JsonValue | undefined;
  /** Only methods that are marked `public: true`: the run was started without login. */
  public_only: boolean;
  /** The same for every attempt. */
  idempotency_key: string | undefined;
  /** Of the whole call, redirects and body included. */
  timeout_ms: number;
  signal?: AbortSignal | undefined;
}

/** Of a status below 400. The connector's secret is blotted out wherever it occurs. */
export interface ConnectorAnswer {
  status: number;
  /** Lower-case names; `set-cookie` and the like are left out. */
  headers: Record<string, string>;
  /** Parsed where it is JSON, else its text; null where it is empty. */
  body: JsonValue;
  /** From the first byte sent to the last one read. */
  ms: number;
}

/**
 * `unknown`: no such connector or method. `not_public`: see `public_only`. `invalid`: what fills the method is wrong.
 * `refused`: an address that may not be called. `status`: an answer of 400 or above. `too_large`: over 10 MiB.
 * `cancelled`: the signal.
 */
export type ConnectorFaultKind =
  | "unknown"
  | "not_public"
  | "invalid"
  | "refused"
  | "network"
  | "timeout"
  | "status"
  | "too_large"
  | "cancelled";

/** A call that gave nothing. Its message is a sentence for the flow's author and holds no secret. */
export class ConnectorFault extends Error {
  override name = "ConnectorFault";
  constructor(readonly kind: ConnectorFaultKind, message: string, readonly answer?: ConnectorAnswer) {
    super(message);
  }
}

export interface Connectors {
  /** @throws {ConnectorFault} */
  call(call: ConnectorCall): Promise<ConnectorAnswer>;
  /** Call after a change: it holds at once in this process. */
  forget(connector_id: number): void;
  close(): Promise<void>;
}
