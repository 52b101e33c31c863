/** Calls connector methods: finds the connector, fills the request, sends it, and redacts the answer. */
import { z } from "zod";
import type { Config } from "../../config.ts";
import type { Pool } from "../../database/pool.ts";
import { createFairLimiter } from "../../fairness/fair_limiter.ts";
import type { Log } from "../../log.ts";
import type { Keys } from "../../secrets/keys.ts";
import { visibleTo } from "../../visibility.ts";
import type { Method } from "../definition/method.ts";
import { createEgress, type Incoming } from "../egress/egress.ts";
import { createCallCounter } from "../health/call_counter.ts";
import type { Lookup } from "../egress/reach.ts";
import type { Outgoing } from "../egress/redirects.ts";
import type { Redactor } from "../redaction/redact.ts";
import { requestOf, withSecret } from "../request/request.ts";
import { shownUrl } from "../request/shown_url.ts";
import type { OpenConnector } from "../secret/open_connector.ts";
import { createTokenStore } from "../secret/token_store.ts";
import { answerOf, redactedFault } from "./answer.ts";
import type { ConnectorAnswer, ConnectorCall } from "./call.ts";
import { createConnectorCache } from "./connector_cache.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import { ConnectorFault } from "./fault.ts";
import { createPaces } from "./paces.ts";
import { createTokens, type Token } from "./tokens.ts";
import { createTurns } from "./turns.ts";

/** The maximum of concurrent calls of one account. */
const AT_ONCE = 20;
/** Concurrent calls of one connector, so that an API that hangs cannot take all calls of its account. */
const AT_ONCE_EACH = 15;
const MAX_WAITING = 1_000;
/** Longer bodies are redacted one after the other, each in slices: together they would delay all other work. */
const LONG_BYTES = 64 * 1024;

/** Some servers send errors that are not of the specification's shape. */
const GraphQlFailure = z.object({ data: z.null().optional(), errors: z.array(z.unknown()).min(1) });
const GraphQlError = z.object({ message: z.string() });

export interface Connectors {
  /** @throws {ConnectorFault} */
  call(call: ConnectorCall): Promise<ConnectorAnswer>;
  /** Call after a change of a connector: this process uses the change at once, others within a moment. */
  forget(connector_id: number): void;
  /** Calls of this process that are sent or wait for their turn. */
  load(): { in_progress: number };
  /** Writes the counts of calls, and deletes old ones. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  sql: Pool;
  keys: Keys;
  config: Pick<Config, "egress_allow" | "has_effects">;
  log: Log;
  /** Replaces the system's DNS lookup in tests. */
  lookup?: Lookup | undefined;
}

export function createConnectors({ sql, keys, config, log, lookup }: Parts): Connectors {
  const cache = createConnectorCache(sql, keys, log);
  const egress = createEgress(config.has_effects ? config.egress_allow : undefined, lookup);
  const account_turns = createTurns(AT_ONCE, MAX_WAITING);
  const connector_turns = createTurns(AT_ONCE_EACH, MAX_WAITING);
  const tokens = createTokens(createTokenStore(sql, keys, log), egress);
  const paces = createPaces(sql);
  const long_turns = createFairLimiter({ total: 1 });
  const counter = createCallCounter(sql, log);

  /** @param begun is called when it is the call's turn */
  async function send(
    connector: OpenConnector,
    call: ConnectorCall,
    deadline: Deadline,
    begun: () => void,
  ): Promise<ConnectorAnswer> {
    const { signal } = deadline;
    const method = methodOf(connector, call);
    const outgoing = requestOf(connector, method, call);
    call.sends?.({ method: outgoing.method, url: await shownUrl(connector, outgoing.url, signal) });
    const endTurns = await takeTurns(connector, call, signal);
    try {
      deadline.begin();
      begun();
      const started = performance.now();
      const { incoming, redactor } = await sendWithSecret(connector, outgoing, call, signal);
      const ms = Math.round(performance.now() - started);
      const endLongTurn = incoming.bytes.length > LONG_BYTES && await long_turns.acquire(call.account_id, signal);
      try {
        return await answerOf(incoming, redactor, ms, method.response, signal);
      } finally {
        if (endLongTurn) endLongTurn();
      }
    } finally {
      endTurns();
    }
  }

  /** A token that the other side refuses is replaced once. */
  async function sendWithSecret(
    connector: OpenConnector,
    outgoing: Outgoing,
    { most_bytes }: ConnectorCall,
    signal: AbortSignal,
  ): Promise<{ incoming: Incoming; redactor: Redactor }> {
    const { fields: { auth }, redactor } = connector;
    const sendWith = (token?: Token) =>
      egress.send(withSecret(connector, outgoing, token?.value, Date.now()), signal, most_bytes);
    if (auth?.type !== "oauth2_client_credentials") return { incoming: await sendWith(), redactor };
    const token = await tokens.find(connector, auth, signal);
    const incoming = await sendWith(token);
    if (incoming.status !== 401) return { incoming, redactor: token.redactor };
    const other = await tokens.find(connector, auth, signal, token.value);
    return { incoming: await sendWith(other), redactor: other.redactor };
  }

  /** The connector's turn comes first: a call that waits for it holds no turn of its account. */
  async function takeTurns(connector: OpenConnector, call: ConnectorCall, signal: AbortSignal): Promise<() => void> {
    const ends: (() => void)[] = [];
    const endAll = () => ends.splice(0).forEach((end) => end());
    try {
      const pace = await paces.turn(connector, call.run_id ?? "", signal);
      try {
        ends.push(await connector_turns.take(connector.id, signal));
        await pace.moment();
        ends.push(await account_turns.take(call.account_id, signal));
      } finally {
        pace.end();
      }
      return endAll;
    } catch (error) {
      endAll();
      throw error;
    }
  }

  return {
    async call(call) {
      const connector = await cache.find(call.account_id, call.connector_code);
      if (!connector || !visibleTo(call.reach, connector.department_id)) {
        throw new ConnectorFault("unknown", `there is no connector ${call.connector_code}`);
      }
      const deadline = createDeadline(call);
      let begun_at: number | undefined;
      /** A call that was not sent, or that its caller has cancelled, says nothing about the other service. */
      const count = (fault?: ConnectorFault) => {
        if (begun_at === undefined || fault?.kind === "cancelled") return;
        const failure = fault && { method: call.method, kind: fault.kind, message: fault.message };
        counter.count(connector.id, performance.now() - begun_at, failure);
      };
      try {
        const answer = await send(connector, call, deadline, () => begun_at = performance.now());
        if (answer.status >= 400) throw await statusFault(connector, answer);
        const valid = proven(connector, call, answer);
        count();
        return valid;
      } catch (error) {
        const fault = redactedFault(error, connector.redactor);
        if (fault instanceof ConnectorFault) count(fault);
        throw fault;
      } finally {
        deadline.clear();
      }
    },
    forget: cache.forget,
    load: () => ({ in_progress: connector_turns.count() }),
    sweep: counter.sweep,
    async close() {
      await counter.close();
      await Promise.all([cache.close(), egress.close()]);
    },
  };
}

async function statusFault({ code }: OpenConnector, answer: ConnectorAnswer): Promise<ConnectorFault> {
  // Loaded by the first failure: it takes a twentieth of the server's start.
  const { STATUS_CODES } = await import("node:http");
  const reason = STATUS_CODES[answer.status] ?? "";
  return new ConnectorFault("status", `${code} answered ${answer.status} ${reason}`.trim(), answer);
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

/** @throws {ConnectorFault} `status` if a GraphQL answer has errors and no data */
function proven(connector: OpenConnector, call: ConnectorCall, answer: ConnectorAnswer): ConnectorAnswer {
  if (methodOf(connector, call).body_type !== "graphql") return answer;
  const { data } = GraphQlFailure.safeParse(answer.body);
  if (!data) return answer;
  const message = GraphQlError.safeParse(data.errors[0]).data?.message.slice(0, 500) ?? "without a message";
  throw new ConnectorFault("status", `${connector.code} answered with a GraphQL error: ${message}`, answer);
}
