import assert from "node:assert/strict";
import { countedAs } from "./counted_as.ts";

Deno.test("public writes: an address of IPv6 is counted with its network, one of IPv4 by itself", () => {
  const rows: [address: string, counted: string][] = [
    ["198.51.100.7", "198.51.100.7"],
    ["::ffff:198.51.100.7", "198.51.100.7"],
    ["::ffff:c633:6407", "198.51.100.7"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002:0:0:0:1", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["::1", "::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["a name", "a name"],
  ];
  for (const [address, counted] of rows) assert.equal(countedAs(address), counted, address);
});
