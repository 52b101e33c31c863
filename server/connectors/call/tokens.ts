/**
 * OAuth tokens of connectors. A token is kept in memory and in PostgreSQL. One process at a time requests a new one; the
 * others wait for it.
 */
import { bounded } from "../../remembered.ts";
import type { OAuth2 } from "../definition/auth.ts";
import type { Egress } from "../egress/egress.ts";
import { createRedactor, type Redactor } from "../redaction/redact.ts";
import { type OpenConnector, secretsOf } from "../secret/open_connector.ts";
import type { StoredToken, TokenStore } from "../secret/token_store.ts";
import { ConnectorFault } from "./fault.ts";
import { requestToken } from "./token_request.ts";

const REQUEST_MS = 20_000;
/** Longer than a request, so that a process that is alive keeps its claim. */
const CLAIM_MS = 30_000;
const WAIT_MS = 40_000;
const POLL_MS = 100;
const MAX_ENTRIES = 2_000;

export interface Token {
  value: string;
  /** Also finds the token. */
  redactor: Redactor;
}

export interface Tokens {
  /**
   * @param refused a token that the other side has refused
   * @throws {ConnectorFault} also the signal's reason
   */
  find(connector: OpenConnector, auth: OAuth2, signal: AbortSignal, refused?: string): Promise<Token>;
}

interface Entry extends Token {
  lock_version: number;
  expires_at: number;
}

export function createTokens(store: TokenStore, egress: Egress): Tokens {
  const known = bounded<number, Entry>(MAX_ENTRIES);
  /** Waits of this process for a token, by connector: calls share them. */
  const pending = new Map<string, Promise<Entry>>();

  async function obtain(connector: OpenConnector, auth: OAuth2, refused: string | undefined): Promise<StoredToken> {
    const deadline = Date.now() + WAIT_MS;
    while (Date.now() < deadline) {
      const stored = await store.find(connector);
      if (stored && stored.token !== refused) return stored;
      if (await store.claim(connector, CLAIM_MS)) return await renew(connector, auth, refused);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new ConnectorFault("timeout", `there was no token for ${connector.code} within ${WAIT_MS / 1000} s`);
  }

  /** This process has the claim. */
  async function renew(connector: OpenConnector, auth: OAuth2, refused: string | undefined): Promise<StoredToken> {
    try {
      // Another process may have ended its claim just before.
      const stored = await store.find(connector);
      if (stored && stored.token !== refused) {
        await store.release(connector);
        return stored;
      }
      const expire = () => new ConnectorFault("timeout", `the token_url of ${connector.code} did not answer in time`);
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(expire()), REQUEST_MS);
      const token = await requestToken(egress, connector, auth, controller.signal).finally(() => clearTimeout(timer));
      await store.keep(connector, token);
      return token;
    } catch (error) {
      // If the release fails, the claim ends with its time. The caller gets the first error.
      await store.release(connector).catch(() => {});
      throw error;
    }
  }

  return {
    async find(connector, auth, signal, refused) {
      const { id, lock_version } = connector;
      const entry = known.get(id);
      if (entry && entry.lock_version === lock_version && entry.expires_at > Date.now() && entry.value !== refused) {
        return entry;
      }
      const key = `${id} ${lock_version} ${refused ?? ""}`;
      const shared = pending.get(key) ?? obtain(connector, auth, refused)
        .then(({ token, expires_at }) => {
          const redactor = createRedactor([...secretsOf(connector), token]);
          const entry = { value: token, redactor, lock_version, expires_at };
          known.set(id, entry);
          return entry;
        })
        .finally(() => pending.delete(key));
      pending.set(key, shared);
      return await unlessAborted(shared, signal);
    },
  };
}

/** The work goes on for others. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return await Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", abort));
}
