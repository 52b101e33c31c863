/** A call of a connector method and its answer. */
import type { JsonValue } from "../../input/json_value.ts";
import type { Restriction } from "../../visibility.ts";

export interface ConnectorCall {
  account_id: number;
  /** A connector that it does not include is `unknown`. */
  reach: Restriction;
  connector_code: string;
  method: string;
  /** Who shares the connector's `per_second` with others: a run. */
  run_id?: string | undefined;
  /** Values for the `{name}` placeholders in the method's path, query, headers and body. */
  params: Readonly<Record<string, JsonValue>>;
  /** Replaces the method's query. */
  query?: Readonly<Record<string, JsonValue>> | undefined;
  /** Replaces the address that the method's path and query make. It must be below the connector's address. */
  link?: string | undefined;
  /** Merged over the method's headers. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the method's body; undefined keeps it. */
  body?: JsonValue | undefined;
  /** True for runs of anonymous visitors: only methods marked `public: true` may be called. */
  public_only: boolean;
  /** Sent as `Idempotency-Key`; the same for every attempt of a step. */
  idempotency_key: string | undefined;
  /** Limit for the whole call: redirects and reading the body included. */
  timeout_ms: number;
  /**
   * Called when it is the call's turn. Without it, the time limit includes the wait for the turn; with it, only `signal`
   * ends that wait.
   */
  begins?: (() => void) | undefined;
  /** Called before the call waits for its turn. The address contains no secret. */
  sends?: ((request: { method: string; url: string }) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Limit of the answer's body, decoded. 10 MiB without it. */
  most_bytes?: number | undefined;
}

/** An answer with a status below 400. The connector's secret is redacted in every field. */
export interface ConnectorAnswer {
  status: number;
  /** Lower-case names, without credentials (`set-cookie`, …) and connection headers. */
  headers: Record<string, string>;
  /** Parsed if it is JSON, otherwise text; null if it is empty. */
  body: JsonValue;
  /** The size of the body, decoded. */
  bytes: number;
  /** Milliseconds from sending the request to the last byte of the body. */
  ms: number;
}
