/**
 * Which addresses may be called: public ones, and the exceptions of `EGRESS_ALLOW`. A name is looked up by the
 * connection itself, through a hook, and refused where any of its addresses is not public: what is proven is what is
 * connected to, and a name that answers differently the next time gains nothing (design: security).
 */
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { ConnectorFault } from "../connectors.ts";

/** All addresses of a name. @throws where it has none */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

const throughSystem: Lookup = async (hostname) =>
  (await systemLookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);

/** @param reason goes on where the host's name stands: that of a redirect is the other side's word, and is not told */
export class Unreachable extends ConnectorFault {
  constructor(override readonly kind: "refused" | "network", host: string, readonly reason: string) {
    super(kind, `${host} ${reason}`);
  }
}

/** Besides what `ipaddr.js` calls something else than unicast. */
const NOT_PUBLIC_4 = ["100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4"]
  .map((range) => ipaddr.IPv4.parseCIDR(range));
/** Within 2000::/3: protocol assignments with Teredo, documentation, 6to4, AS112. */
const NOT_PUBLIC_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]
  .map((range) => ipaddr.IPv6.parseCIDR(range));
const GLOBAL_6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Whether it is one machine's address on the open internet. An IPv4 address inside an IPv6 one counts as that. */
export function isPublic(address: string): boolean {
  if (!isIP(address)) return false;
  const known = ipaddr.process(address);
  if (known.range() !== "unicast") return false;
  if (known instanceof ipaddr.IPv4) return !NOT_PUBLIC_4.some((range) => known.match(range));
  return known.match(GLOBAL_6) && !NOT_PUBLIC_6.some((range) => known.match(range));
}

/** Without the brackets that an IPv6 address has in a URL. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, "$1");

const portOf = ({ protocol, port }: URL) => port || (protocol === "https:" ? "443" : "80");

/** As the URL parser writes it, so that `[0:0::1]:80` and `[::1]:80` are the same exception. */
const exception = (entry: string) => {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(entry) ?? [];
  return URL.canParse(`http://${host}/`) ? `${new URL(`http://${host}/`).hostname}:${Number(port)}` : entry;
};

export interface Reach {
  /**
   * Proves all that can be told without a look-up.
   *
   * @throws {ConnectorFault} `refused`
   */
  prove(url: URL): void;
  /** For connections to the address's origin; fails with an `Unreachable` where they may not be made. */
  lookupFor(url: URL): LookupFunction;
}

/** @param allow `host:port`, as EGRESS_ALLOW has them */
export function createReach(allow: readonly string[], lookup: Lookup = throughSystem): Reach {
  const exceptions = new Set(allow.map(exception));
  const isException = (url: URL) => exceptions.has(`${url.hostname}:${portOf(url)}`);
  const refused = (host: string) => new Unreachable("refused", host, "may not be called: it is not a public address");

  return {
    prove(url) {
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw new ConnectorFault("refused", `only http and https addresses may be called`);
      }
      if (url.username || url.password) {
        throw new ConnectorFault("refused", `an address with a user name or password may not be called`);
      }
      const host = hostOf(url);
      if (isIP(host) && !isException(url) && !isPublic(host)) throw refused(host);
    },
    lookupFor(url) {
      const free = isException(url);
      return (hostname, options, callback) => {
        const answer = async () => {
          const found = await lookup(hostname).catch(() => []);
          if (found.length === 0) throw new Unreachable("network", hostname, "was not found");
          if (!free && !found.every(isPublic)) throw refused(hostname);
          return found.map((address) => ({ address, family: ipaddr.parse(address).kind() === "ipv6" ? 6 : 4 }));
        };
        answer().then((addresses) => {
          const [first] = addresses;
          if (options.all) callback(null, addresses);
          else callback(null, first?.address ?? "", first?.family);
        }, (fault) => callback(fault, ""));
      };
    },
  };
}
