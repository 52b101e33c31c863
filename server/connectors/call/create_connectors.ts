/** Calls connector methods: finds the connector, fills the request, sends it, and redacts the answer. */
import { STATUS_CODES } from "node:http";
import type { Config } from "../../config.ts";
import type { Pool } from "../../database/pool.ts";
import { createFairLimiter } from "../../fairness/fair_limiter.ts";
import type { Log } from "../../log.ts";
import type { Keys } from "../../secrets/keys.ts";
import { visibleTo } from "../../visibility.ts";
import type { Method } from "../definition/method.ts";
import { createEgress } from "../egress/egress.ts";
import type { Lookup } from "../egress/reach.ts";
import { requestOf } from "../request/request.ts";
import { shownUrl } from "../request/shown_url.ts";
import type { OpenConnector } from "../secret/open_connector.ts";
import { answerOf, redactedFault } from "./answer.ts";
import type { ConnectorAnswer, ConnectorCall } from "./call.ts";
import { createConnectorCache } from "./connector_cache.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import { ConnectorFault } from "./fault.ts";
import { createTurns } from "./turns.ts";

/** The maximum of concurrent calls of one account. */
const AT_ONCE = 20;
/** Concurrent calls of one connector, so that an API that hangs cannot take all calls of its account. */
const AT_ONCE_EACH = 15;
const MAX_WAITING = 1_000;
/** Longer bodies are redacted one after the other, each in slices: together they would delay all other work. */
const LONG_BYTES = 64 * 1024;

export interface Connectors {
  /** @throws {ConnectorFault} */
  call(call: ConnectorCall): Promise<ConnectorAnswer>;
  /** Call after a change of a connector: this process uses the change at once, others within a moment. */
  forget(connector_id: number): void;
  close(): Promise<void>;
}

interface Parts {
  sql: Pool;
  keys: Keys;
  config: Pick<Config, "egress_allow">;
  log: Log;
  /** Replaces the system's DNS lookup in tests. */
  lookup?: Lookup | undefined;
}

export function createConnectors({ sql, keys, config, log, lookup }: Parts): Connectors {
  const cache = createConnectorCache(sql, keys, log);
  const egress = createEgress(config.egress_allow, lookup);
  const account_turns = createTurns(AT_ONCE, MAX_WAITING);
  const connector_turns = createTurns(AT_ONCE_EACH, MAX_WAITING);
  const long_turns = createFairLimiter({ total: 1 });

  async function send(connector: OpenConnector, call: ConnectorCall, deadline: Deadline): Promise<ConnectorAnswer> {
    const { signal } = deadline;
    const outgoing = requestOf(connector, methodOf(connector, call), call);
    call.sends?.({ method: outgoing.method, url: await shownUrl(connector, outgoing.url, signal) });
    // The connector's turn comes first: a call that waits for it holds no turn of its account.
    const endConnectorTurn = await connector_turns.take(connector.id, signal);
    try {
      const endAccountTurn = await account_turns.take(call.account_id, signal);
      deadline.begin();
      const started = performance.now();
      try {
        const incoming = await egress.send(outgoing, signal, call.most_bytes);
        const ms = Math.round(performance.now() - started);
        const endLongTurn = incoming.bytes.length > LONG_BYTES && await long_turns.acquire(call.account_id, signal);
        try {
          return await answerOf(incoming, connector.redactor, ms, signal);
        } finally {
          if (endLongTurn) endLongTurn();
        }
      } finally {
        endAccountTurn();
      }
    } finally {
      endConnectorTurn();
    }
  }

  return {
    async call(call) {
      const connector = await cache.find(call.account_id, call.connector_code);
      if (!connector || !visibleTo(call.reach, connector.department_id)) {
        throw new ConnectorFault("unknown", `there is no connector ${call.connector_code}`);
      }
      const deadline = createDeadline(call);
      try {
        const answer = await send(connector, call, deadline);
        if (answer.status < 400) return answer;
        const reason = STATUS_CODES[answer.status] ?? "";
        throw new ConnectorFault("status", `${connector.code} answered ${answer.status} ${reason}`.trim(), answer);
      } catch (error) {
        throw redactedFault(error, connector.redactor);
      } finally {
        deadline.clear();
      }
    },
    forget: cache.forget,
    async close() {
      await Promise.all([cache.close(), egress.close()]);
    },
  };
}

/** @throws {ConnectorFault} `unknown` or `not_public` */
function methodOf({ code, fields: { methods = {} } }: OpenConnector, call: ConnectorCall): Method {
  const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  if (!method) throw new ConnectorFault("unknown", `${code} has no method ${call.method}`);
  if (call.public_only && !method.public) {
    throw new ConnectorFault("not_public", `${call.method} of ${code} is not public, and the caller is not signed in`);
  }
  return method;
}
