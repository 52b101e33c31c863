/**
 * Decides which addresses a connector may call: public ones and the exceptions in `EGRESS_ALLOW`.
 *
 * The HTTP client resolves a name through a hook of this file, which refuses it if any of its addresses is not public.
 * The checked addresses are those that the client connects to, so DNS rebinding gains nothing.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { ConnectorFault } from "../call/fault.ts";
import { isPublic } from "./public_address.ts";

/** Resolves a name to all its addresses. @throws if it has none */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

const systemDns: Lookup = async (hostname) =>
  (await systemLookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);

/** Stands for the host in messages about a redirect: the third party chose that host, and it may contain the secret. */
export const REDIRECT_TARGET = "the redirect's target";

/** @param reason follows the host in the message; a redirect's message names another host with the same reason */
export class Unreachable extends ConnectorFault {
  constructor(override readonly kind: "refused" | "network", host: string, readonly reason: string) {
    super(kind, `${host} ${reason}`);
  }
}

/** Removes the brackets of an IPv6 address in a URL. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, "$1");

const portOf = ({ protocol, port }: URL) => port || (protocol === "https:" ? "443" : "80");

/** Normalizes an exception as the URL parser does, so that `[0:0::1]:80` and `[::1]:80` are equal. */
const normalizedException = (entry: string) => {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(entry) ?? [];
  return URL.canParse(`http://${host}/`) ? `${new URL(`http://${host}/`).hostname}:${Number(port)}` : entry;
};

export interface Reach {
  /**
   * Checks scheme, credentials and IP literals. The client resolves no IP literal, so the hook does not see it.
   *
   * @throws {ConnectorFault} `refused`
   */
  check(url: URL): void;
  /**
   * An exception is for connectors whose own address is one: another service must not lead a call to it.
   *
   * @throws {ConnectorFault} `refused`
   */
  checkRedirect(from: URL, to: URL): void;
  /** The hook for connections to the URL's origin. It fails with `Unreachable`. */
  lookupFor(url: URL): LookupFunction;
}

const OFF = () =>
  new ConnectorFault("refused", "other services are not called on a preview timeline: PREVIEW_EFFECTS=1 allows it");

/** Of a server without effects. */
const NOTHING: Reach = {
  check() {
    throw OFF();
  },
  checkRedirect() {
    throw OFF();
  },
  lookupFor: () => (_hostname, _options, callback) => callback(OFF(), ""),
};

/** @param allow exceptions as `host:port`; undefined: nothing may be called */
export function createReach(allow: readonly string[] | undefined, lookup: Lookup = systemDns): Reach {
  if (!allow) return NOTHING;
  const exceptions = new Set(allow.map(normalizedException));
  const isException = (url: URL) => exceptions.has(`${url.hostname}:${portOf(url)}`);
  const refused = (host: string) =>
    new Unreachable(
      "refused",
      host,
      "may not be called: it is not a public address, and the server's EGRESS_ALLOW does not list it",
    );

  return {
    check(url) {
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw new ConnectorFault("refused", "only http and https addresses may be called");
      }
      if (url.username || url.password) {
        throw new ConnectorFault("refused", "an address with a user name or password may not be called");
      }
      const host = hostOf(url);
      if (isIP(host) && !isException(url) && !isPublic(host)) throw refused(host);
    },
    checkRedirect(from, to) {
      if (!isException(to) || isException(from)) return;
      throw new Unreachable(
        "refused",
        REDIRECT_TARGET,
        "may not be called: EGRESS_ALLOW lists it, but not the connector's own address",
      );
    },
    lookupFor(url) {
      const is_exception = isException(url);
      return (hostname, options, callback) => {
        const resolve = async () => {
          const found = await lookup(hostname).catch(() => []);
          if (found.length === 0) throw new Unreachable("network", hostname, "was not found");
          if (!is_exception && !found.every(isPublic)) throw refused(hostname);
          return found.map((address) => ({ address, family: ipaddr.parse(address).kind() === "ipv6" ? 6 : 4 }));
        };
        resolve().then((addresses) => {
          const [first] = addresses;
          if (options.all) callback(null, addresses);
          else callback(null, first?.address ?? "", first?.family);
        }, (fault) => callback(fault, ""));
      };
    },
  };
}
