/** Builds a call's answer, or its failure, without the connector's secret. */
import type { Incoming } from "../egress/egress.ts";
import { bodyOf } from "../egress/response_body.ts";
import type { Redactor } from "../redaction/redact.ts";
import { ParamFault } from "../request/template.ts";
import type { ConnectorAnswer } from "./call.ts";
import { ConnectorFault } from "./fault.ts";

/**
 * Headers that an answer leaves out: credentials of the third party, and headers that describe the connection or the
 * encoded body, because the body is decoded.
 */
const OMITTED =
  /^(?:set-cookie2?|authorization|authentication-info|proxy-.*|connection|keep-alive|transfer-encoding|content-(?:encoding|length))$/;

/** @throws the signal's reason, if that aborts before a long body is redacted */
export async function answerOf(
  { status, headers, bytes }: Incoming,
  { text, json }: Redactor,
  ms: number,
  signal?: AbortSignal,
): Promise<ConnectorAnswer> {
  const kept = Object.entries(headers).filter(([name]) => !OMITTED.test(name));
  return {
    status,
    headers: Object.fromEntries(kept.map(([name, value]) => [text(name), text(value)])),
    body: await json(bodyOf(bytes, headers["content-type"]), signal),
    ms,
  };
}

/** @returns the same error if its message contains no secret */
export function redactedFault(error: unknown, { text }: Redactor): unknown {
  if (!(error instanceof ConnectorFault) || text(error.message) === error.message) return error;
  if (error instanceof ParamFault) return new ParamFault(text(error.param), text(error.fault));
  return new ConnectorFault(error.kind, text(error.message), error.answer);
}
