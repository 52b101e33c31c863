/** Calls of connectors: found, filled, sent, and given back without the secret. */
import { STATUS_CODES } from "node:http";
import type { Config } from "../config.ts";
import type { Pool } from "../database/pool.ts";
import type { Keys } from "../secrets/keys.ts";
import type { Log } from "../log.ts";
import { type ConnectorAnswer, type ConnectorCall, ConnectorFault, type Connectors } from "./connectors.ts";
import { bodyOf } from "./egress/decode.ts";
import type { Method } from "./definition.ts";
import { createEgress, type Incoming } from "./egress/egress.ts";
import { createKnownConnectors, type KnownConnector } from "./known.ts";
import type { Lookup } from "./egress/reach.ts";
import type { Redactor } from "./redaction/redact.ts";
import { ParamFault } from "./request/template.ts";
import { requestOf } from "./request/request.ts";
import { createTurns } from "./turns.ts";

/** Of one account; issue 5, "Egress". */
const AT_ONCE = 20;
/** Of one connector: an API that hangs leaves turns to the others. */
const AT_ONCE_EACH = 15;
const MOST_WAITING = 1_000;

interface Parts {
  sql: Pool;
  keys: Keys;
  config: Pick<Config, "egress_allow">;
  log: Log;
  /** Another than the system's, for tests. */
  lookup?: Lookup | undefined;
}

export function createConnectors({ sql, keys, config, log, lookup }: Parts): Connectors {
  const known = createKnownConnectors(sql, keys, log);
  const egress = createEgress(config.egress_allow, lookup);
  const turns = createTurns(AT_ONCE, MOST_WAITING);
  const shares = createTurns(AT_ONCE_EACH, MOST_WAITING);

  async function send(connector: KnownConnector, call: ConnectorCall, signal: AbortSignal): Promise<ConnectorAnswer> {
    const outgoing = requestOf(connector, methodOf(connector, call), call);
    // Its own share first: who waits for that holds none of the account's turns.
    const endShare = await shares.take(connector.id, signal);
    try {
      const end = await turns.take(call.account_id, signal);
      const started = performance.now();
      try {
        const incoming = await egress.send(outgoing, signal);
        return answerOf(incoming, connector.redactor, Math.round(performance.now() - started));
      } finally {
        end();
      }
    } finally {
      endShare();
    }
  }

  return {
    async call(call) {
      const connector = await known.find(call.account_id, call.connector_code);
      if (!connector) throw new ConnectorFault("unknown", `there is no connector ${call.connector_code}`);
      const clock = startClock(call);
      try {
        const answer = await send(connector, call, clock.signal);
        if (answer.status < 400) return answer;
        const reason = STATUS_CODES[answer.status] ?? "";
        throw new ConnectorFault("status", `${connector.code} answered ${answer.status} ${reason}`.trim(), answer);
      } catch (error) {
        throw redacted(error, connector.redactor);
      } finally {
        clock.stop();
      }
    },
    forget: known.forget,
    async close() {
      await Promise.all([known.close(), egress.close()]);
    },
  };
}

function methodOf({ code, fields: { methods = {} } }: KnownConnector, call: ConnectorCall): Method {
  const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  if (!method) throw new ConnectorFault("unknown", `${code} has no method ${call.method}`);
  if (call.public_only && !method.public) {
    throw new ConnectorFault("not_public", `${call.method} of ${code} is not public, and nobody is signed in`);
  }
  return method;
}

/** One signal for the time limit and the caller's; its reason is a fault. Waiting for a turn counts. */
function startClock({ timeout_ms, signal }: ConnectorCall) {
  const controller = new AbortController();
  const late = () =>
    controller.abort(new ConnectorFault("timeout", `there was no whole answer within ${timeout_ms / 1000} s`));
  const cancel = () => controller.abort(new ConnectorFault("cancelled", "the call was cancelled"));
  const timer = setTimeout(late, timeout_ms);
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel);
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    },
  };
}

/** What lets a client of the other side's in, and what is of the connection: the body has been decoded. */
const KEPT_BACK =
  /^(?:set-cookie2?|authorization|authentication-info|proxy-.*|connection|keep-alive|transfer-encoding|content-(?:encoding|length))$/;

function answerOf({ status, headers, bytes }: Incoming, { text, json }: Redactor, ms: number): ConnectorAnswer {
  const shown = Object.entries(headers).filter(([name]) => !KEPT_BACK.test(name));
  return {
    status,
    headers: Object.fromEntries(shown.map(([name, value]) => [text(name), text(value)])),
    body: json(bodyOf(bytes, headers["content-type"])),
    ms,
  };
}

function redacted(error: unknown, { text }: Redactor): unknown {
  if (!(error instanceof ConnectorFault) || text(error.message) === error.message) return error;
  if (error instanceof ParamFault) return new ParamFault(text(error.param), text(error.fault));
  return new ConnectorFault(error.kind, text(error.message), error.answer);
}
