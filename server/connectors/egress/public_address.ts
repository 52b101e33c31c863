/** Which IP addresses are public unicast: one machine on the open internet. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * IPv4 ranges that are not public although `ipaddr.js` calls them unicast. 168.63.129.16 is a service inside each of
 * Azure's virtual networks.
 */
const NOT_PUBLIC_4 = [
  "100.64.0.0/10",
  "168.63.129.16/32",
  "192.0.0.0/24",
  "192.88.99.0/24",
  "198.18.0.0/15",
  "240.0.0.0/4",
].map((range) => ipaddr.IPv4.parseCIDR(range));
/** Ranges within 2000::/3: protocol assignments with Teredo, documentation, 6to4, AS112, documentation. */
const NOT_PUBLIC_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]
  .map((range) => ipaddr.IPv6.parseCIDR(range));
const GLOBAL_6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** An IPv4-mapped IPv6 address counts as its IPv4 address. @returns false for text that is no IP address */
export function isPublic(address: string): boolean {
  if (!isIP(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed instanceof ipaddr.IPv4) return !NOT_PUBLIC_4.some((range) => parsed.match(range));
  return parsed.match(GLOBAL_6) && !NOT_PUBLIC_6.some((range) => parsed.match(range));
}
