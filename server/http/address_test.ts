import assert from "node:assert/strict";
import { hostOf } from "../input/host.ts";
import { addressOf, pathOf, queryOf } from "./address.ts";

const tcp = (hostname: string): Deno.Addr => ({ transport: "tcp", hostname, port: 1 });

type Row = [name: string, connected: Deno.Addr | undefined, forwarded: string | undefined, proxies: number, is: string];

const ROWS: Row[] = [
  ["the connection's, without proxies", tcp("203.0.113.9"), undefined, 0, "203.0.113.9"],
  ["whatever a header says without proxies", tcp("203.0.113.9"), "198.51.100.1", 0, "203.0.113.9"],
  ["an IPv4 address that came as IPv6", tcp("::ffff:203.0.113.9"), undefined, 0, "203.0.113.9"],
  ["IPv6", tcp("2001:db8::1"), undefined, 0, "2001:db8::1"],
  ["a unix socket", { transport: "unix", path: "/x" }, undefined, 0, "127.0.0.1"],
  ["no connection", undefined, undefined, 0, "127.0.0.1"],
  ["behind one proxy its word", tcp("10.0.0.1"), "198.51.100.1", 1, "198.51.100.1"],
  [
    "behind one proxy what a client forged stands before it",
    tcp("10.0.0.1"),
    "1.1.1.1, 198.51.100.1",
    1,
    "198.51.100.1",
  ],
  ["behind two proxies the first one's word", tcp("10.0.0.1"), "1.1.1.1, 198.51.100.1,10.0.0.2", 2, "198.51.100.1"],
  ["behind a proxy that says nothing", tcp("10.0.0.1"), undefined, 1, "10.0.0.1"],
  ["behind fewer proxies than told", tcp("10.0.0.1"), "198.51.100.1", 2, "10.0.0.1"],
  ["a word that is no address", tcp("10.0.0.1"), "unknown", 1, "10.0.0.1"],
  ["a word with a script", tcp("10.0.0.1"), "<script>", 1, "10.0.0.1"],
  ["IPv6 behind a proxy", tcp("10.0.0.1"), "2001:db8::7", 1, "2001:db8::7"],
  ["an address with a port", tcp("10.0.0.1"), "1.1.1.1, 198.51.100.1:4711", 1, "198.51.100.1"],
  ["IPv6 with a port", tcp("10.0.0.1"), "[2001:db8::7]:4711", 1, "2001:db8::7"],
  ["IPv6 in brackets", tcp("10.0.0.1"), "[2001:db8::7]", 1, "2001:db8::7"],
  ["IPv4 as IPv6 with a port", tcp("10.0.0.1"), "[::ffff:198.51.100.1]:4711", 1, "198.51.100.1"],
  ["a port that is none", tcp("10.0.0.1"), "198.51.100.1:x", 1, "10.0.0.1"],
  ["IPv4 as IPv6 behind a proxy", tcp("10.0.0.1"), "::FFFF:198.51.100.1", 1, "198.51.100.1"],
];

Deno.test("address of a caller", async (t) => {
  for (const [name, connected, forwarded, proxies, is] of ROWS) {
    await t.step(name, () => {
      const request = new Request("http://x.test/", forwarded ? { headers: { "x-forwarded-for": forwarded } } : {});
      assert.equal(addressOf(request, connected && { remoteAddr: connected }, proxies), is);
    });
  }
});

Deno.test("parts of an address, as it was sent", () => {
  const url = "http://a host:80/a/%2F/b?x=1&y=a%20b";
  assert.deepEqual([hostOf(url), pathOf(url), queryOf(url).get("y")], ["a host:80", "/a/%2F/b", "a b"]);
  assert.deepEqual([pathOf("http://x/"), [...queryOf("http://x/")]], ["/", []]);
});
