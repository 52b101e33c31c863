/** Builds a call's answer, or its failure, without the connector's secret. */
import type { Incoming } from "../egress/egress.ts";
import type { AnswerType } from "../definition/body_type.ts";
import type { Redactor } from "../redaction/redact.ts";
import { ParamFault } from "../request/template.ts";
import { readBody } from "./answer_body.ts";
import type { ConnectorAnswer } from "./call.ts";
import { ConnectorFault } from "./fault.ts";

/**
 * Headers that an answer leaves out: credentials of the third party, and headers that describe the connection or the
 * encoded body, because the body is decoded.
 */
const OMITTED =
  /^(?:set-cookie2?|authorization|authentication-info|proxy-.*|connection|keep-alive|transfer-encoding|content-(?:encoding|length))$/;

/**
 * @param response how a body is read; that of a failure is read by its own content type
 * @throws {ConnectorFault} `network` or `too_large` if the body cannot be read
 * @throws the signal's reason, if that aborts before a long body is redacted
 */
export async function answerOf(
  { status, headers, bytes }: Incoming,
  { text, json }: Redactor,
  ms: number,
  response: AnswerType | undefined,
  signal?: AbortSignal,
): Promise<ConnectorAnswer> {
  const type = headers["content-type"];
  const body = await readBody(bytes, type, status < 400 ? response : undefined, signal);
  const kept = Object.entries(headers).filter(([name]) => !OMITTED.test(name));
  return {
    status,
    headers: Object.fromEntries(kept.map(([name, value]) => [text(name), text(value)])),
    body: await json(body, signal),
    bytes: bytes.length,
    ms,
  };
}

/** @returns the same error if its message contains no secret */
export function redactedFault(error: unknown, { text }: Redactor): unknown {
  if (!(error instanceof ConnectorFault) || text(error.message) === error.message) return error;
  if (error instanceof ParamFault) return new ParamFault(text(error.param), text(error.fault));
  return new ConnectorFault(error.kind, text(error.message), error.answer);
}
