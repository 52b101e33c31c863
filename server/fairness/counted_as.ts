/** The unit in which requests without a login are limited. */
import ipaddr from "ipaddr.js";

/**
 * An IPv4 address or an IPv6 /64 network, because the owner of one address in such a network controls all 2^64 of them.
 */
export function countedAs(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const known = ipaddr.process(address);
  if (known instanceof ipaddr.IPv4) return known.toString();
  return `${new ipaddr.IPv6([...known.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}
