import assert from "node:assert/strict";
import { ConnectorFault } from "../call/fault.ts";
import { isPublic } from "./public_address.ts";
import { createReach } from "./reach.ts";

const INNER = [
  ..."0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.1.2.3 169.254.169.254 172.16.0.1 172.31.255.255"
    .split(" "),
  ..."192.0.0.1 192.0.0.170 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1"
    .split(" "),
  ..."168.63.129.16 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255".split(" "),
  ..."::1 :: ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::127.0.0.1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254"
    .split(" "),
  ..."ff02::1 64:ff9b::7f00:1 64:ff9b:1::a00:1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 2001:10::1 3fff::1 4000::1 fec0::1"
    .split(" "),
];
const PUBLIC =
  "1.1.1.1 168.63.129.15 168.63.129.17 8.8.8.8 93.184.215.14 100.63.255.255 100.128.0.1 172.32.0.1 192.0.1.1 198.17.0.1 198.20.0.1 223.255.255.255 2606:4700:4700::1111 2a00:1450::1 ::ffff:8.8.8.8"
    .split(" ");

Deno.test("reach: public unicast addresses are allowed, all others are refused", () => {
  for (const address of INNER) assert.equal(isPublic(address), false, address);
  for (const address of PUBLIC) assert.equal(isPublic(address), true, address);
  for (const address of ["", "example.com", "1.2.3", "999.1.1.1", "::g"]) {
    assert.equal(isPublic(address), false, address);
  }
});

const refuses = (work: () => void) =>
  assert.throws(work, (fault) => fault instanceof ConnectorFault && fault.kind === "refused");

Deno.test("reach: addresses that need no look-up", () => {
  const { check } = createReach([]);
  const refused = [
    "http://127.0.0.1",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://①②⑦.0.0.1/",
    "http://127.0.0.1./",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "http://user@example.com/",
    "http://:pass@example.com/",
  ];
  for (const address of refused) refuses(() => check(new URL(address)));
  for (const address of ["http://example.com/", "https://8.8.8.8:444/", "http://[2606:4700::1]/"]) {
    check(new URL(address));
  }
});

Deno.test("reach: an exception is a host and its port, and nothing beside them", () => {
  const { check } = createReach(["127.0.0.1:8080", "[0:0::1]:443", "localhost:80"]);
  check(new URL("http://127.0.0.1:8080/x"));
  check(new URL("https://[::1]/"));
  refuses(() => check(new URL("http://127.0.0.1/")));
  refuses(() => check(new URL("http://127.0.0.1:8081/")));
  refuses(() => check(new URL("http://127.0.0.2:8080/")));
  refuses(() => check(new URL("http://[::1]/")));
  refuses(() => check(new URL("http://user@127.0.0.1:8080/")));
});

Deno.test("reach: a redirect leads to an exception from exceptions only", () => {
  const { checkRedirect } = createReach(["10.0.0.1:80", "localhost:8080"]);
  const [inner, other, outer] = ["http://10.0.0.1/", "http://localhost:8080/", "https://example.com/"]
    .map((address) => new URL(address));
  assert.ok(inner && other && outer);
  refuses(() => checkRedirect(outer, inner));
  refuses(() => checkRedirect(new URL("http://10.0.0.1:81/"), other));
  for (const [from, to] of [[inner, other], [inner, outer], [outer, outer]] as const) checkRedirect(from, to);
});

Deno.test("reach: a name with one inner address among its public ones is refused, and one without any is not found", async () => {
  const names: Record<string, string[]> = {
    "good.test": ["8.8.8.8", "2606:4700::1"],
    "mixed.test": ["8.8.8.8", "10.0.0.1"],
    "inner.test": ["::1"],
  };
  const reach = createReach(["inner.test:80"], (name) => Promise.resolve(names[name] ?? []));
  const look = (address: string, all: boolean) =>
    new Promise<unknown>((resolve, reject) => {
      const url = new URL(address);
      reach.lookupFor(url)(url.hostname, { all }, (error, found) => error ? reject(error) : resolve(found));
    });
  assert.equal(await look("http://good.test", false), "8.8.8.8");
  assert.deepEqual(await look("http://good.test", true), [
    { address: "8.8.8.8", family: 4 },
    { address: "2606:4700::1", family: 6 },
  ]);
  assert.equal(await look("http://inner.test", false), "::1");
  await assert.rejects(look("http://inner.test:81", true), { kind: "refused" });
  await assert.rejects(look("http://mixed.test", true), { kind: "refused" });
  await assert.rejects(look("http://mixed.test", false), { kind: "refused" });
  await assert.rejects(look("http://nowhere.test", true), { kind: "network" });
});
