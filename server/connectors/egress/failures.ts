/** Turns errors of the HTTP client and the system into sentences for the flow's author. */
import { ConnectorFault } from "../call/fault.ts";
import { CONNECT_MS, MAX_HEADER_BYTES } from "./limits.ts";
import { Unreachable } from "./reach.ts";

/** Sentences by error code; each follows the host's name. */
const REASONS = new Map([
  ["ECONNREFUSED", "refused the connection"],
  ["ECONNRESET", "closed the connection"],
  ["EPIPE", "closed the connection"],
  ["UND_ERR_SOCKET", "closed the connection"],
  ["EHOSTUNREACH", "cannot be reached"],
  ["ENETUNREACH", "cannot be reached"],
  ["UND_ERR_CONNECT_TIMEOUT", `did not accept the connection within ${CONNECT_MS / 1000} s`],
]);

/**
 * @param host the only part of the address that the message may contain: the query may hold a secret
 * @throws {ConnectorFault} always, or the signal's reason if it is aborted
 */
export function throwFault(error: unknown, host: string, signal: AbortSignal): never {
  if (signal.aborted) throw signal.reason;
  const fault = faultIn(error);
  if (fault instanceof Unreachable) throw new Unreachable(fault.kind, host, fault.reason);
  if (fault) throw fault;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    throw new ConnectorFault("too_large", `the answer's headers are larger than ${MAX_HEADER_BYTES} bytes`);
  }
  const certificate = error instanceof Error && /certificate/i.test(error.message);
  const reason = certificate ? "has a certificate that is not trusted" : REASONS.get(code) ?? "sent no valid answer";
  throw new ConnectorFault("network", `${host} ${reason}`);
}

/** The HTTP client may wrap the fault that the lookup hook threw. */
function faultIn(error: unknown): ConnectorFault | undefined {
  if (error instanceof ConnectorFault) return error;
  if (error instanceof AggregateError) return error.errors.map(faultIn).find((fault) => fault);
  if (error instanceof Error && error.cause) return faultIn(error.cause);
}
