/**
 * Addresses and answers that connectors must refuse. Source: design, security, "Calls to the outside". A test tries each
 * case in every way in which the server calls connectors.
 */
import type { World } from "./world.ts";

export interface HostileCase {
  name: string;
  url(world: World): string;
  /** The path of the connector method, by default `/`. */
  path?: string;
  params?(world: World): Record<string, string>;
  /** The accepted kinds of fault. */
  kinds: string[];
  /** How often the case is tried. A name may resolve to another address the next time. */
  times?: number;
  timeout_s?: number;
}

const inner = ({ canary: [first] }: World) => first?.port ?? 0;

const at = (name: string, host: string): HostileCase => ({
  name,
  url: (world) => `http://${host}:${inner(world)}/`,
  kinds: ["refused"],
});

/** A redirect from an allowed address. */
const leading = (name: string, to: (world: World) => string, status = 302): HostileCase => ({
  name: `a redirect (${status}) to ${name}`,
  url: ({ open }) => `http://open.test:${open.port}`,
  path: "/to",
  params: (world) => ({ url: to(world), status: `${status}` }),
  kinds: ["refused"],
});

const open = (name: string, path: string, kinds: string[], timeout_s = 10): HostileCase => ({
  name,
  url: ({ open }) => `http://open.test:${open.port}`,
  path,
  kinds,
  timeout_s,
});

const raw = (name: string, path: string, kinds: string[], timeout_s = 10): HostileCase => ({
  name,
  url: ({ raw }) => `http://raw.test:${raw.port}`,
  path,
  kinds,
  timeout_s,
});

export const HOSTILE: HostileCase[] = [
  at("loopback", "127.0.0.1"),
  at("another loopback", "127.8.8.8"),
  at("the short form", "127.1"),
  at("the decimal form", "2130706433"),
  at("the hexadecimal form", "0x7f000001"),
  at("the octal form", "0177.0.0.01"),
  at("a mixed form", "0x7f.0.1"),
  at("full-width digits", "①②⑦.0.0.1"),
  at("percent-encoded digits", "%31%32%37.0.0.1"),
  at("a dot at the end", "127.0.0.1."),
  at("this machine", "0.0.0.0"),
  at("this machine, shorter", "0"),
  at("IPv6 loopback", "[::1]"),
  at("IPv6 unspecified", "[::]"),
  at("IPv4 mapped into IPv6", "[::ffff:127.0.0.1]"),
  at("the same in hexadecimal", "[::ffff:7f00:1]"),
  at("IPv4 compatible IPv6", "[::127.0.0.1]"),
  at("NAT64", "[64:ff9b::127.0.0.1]"),
  at("6to4", "[2002:7f00:1::]"),
  at("Teredo", "[2001:0:7f00:1::]"),
  at("private, 10/8", "10.0.0.1"),
  at("private, 172.16/12", "172.16.0.1"),
  at("private, 192.168/16", "192.168.0.1"),
  at("carrier-grade NAT", "100.64.0.1"),
  at("protocol assignments", "192.0.0.192"),
  at("benchmarking", "198.18.0.1"),
  at("multicast", "224.0.0.1"),
  at("reserved", "240.0.0.1"),
  at("broadcast", "255.255.255.255"),
  at("link-local", "169.254.1.1"),
  at("IPv6 link-local", "[fe80::1]"),
  at("IPv6 unique local", "[fd00:ec2::254]"),
  at("IPv6 documentation", "[2001:db8::1]"),
  { name: "cloud metadata", url: () => "http://169.254.169.254/latest/meta-data/", kinds: ["refused"] },
  { name: "another cloud's metadata", url: () => "http://100.100.100.200/", kinds: ["refused"] },
  at("localhost", "localhost"),
  at("localhost with a dot", "localhost."),
  at("a name that leads inside", "inner.test"),
  at("a name that leads inside by IPv6", "inner6.test"),
  at("a name that leads to a mapped address", "mapped.test"),
  at("a name that leads to NAT64", "nat64.test"),
  at("a name of a private network", "private.test"),
  at("a name of metadata", "metadata.test"),
  at("a name with a public and an inner address", "mixed.test"),
  at("the same, the inner one first", "mixed4.test"),
  {
    ...at("rebinding: inner from the second look-up on", "rebind.test"),
    times: 3,
    timeout_s: 1,
    kinds: ["network", "timeout", "refused"],
  },
  {
    ...at("rebinding: from the third on", "rebind2.test"),
    times: 4,
    timeout_s: 1,
    kinds: ["network", "timeout", "refused"],
  },
  { ...at("a name server that is silent", "silent.test"), kinds: ["timeout"], timeout_s: 1 },
  { name: "a host that is silent", url: () => "http://[2d00::1]/", kinds: ["timeout", "network"], timeout_s: 1 },
  { ...at("a name that nobody has", "nowhere.test"), kinds: ["network"] },
  {
    name: "a user name that looks like the host",
    url: (world) => `http://open.test@127.0.0.1:${inner(world)}`,
    kinds: ["refused"],
  },
  {
    name: "a user name and password",
    url: ({ open }) => `http://user:password@open.test:${open.port}`,
    kinds: ["refused"],
  },
  { name: "a file", url: () => "file:///etc/passwd", kinds: ["refused"] },
  { name: "ftp", url: (world) => `ftp://127.0.0.1:${inner(world)}`, kinds: ["refused"] },
  { name: "data", url: () => "data:text/plain,canary", kinds: ["refused"] },
  { name: "gopher", url: (world) => `gopher://127.0.0.1:${inner(world)}`, kinds: ["refused"] },
  {
    name: "a backslash for a slash",
    url: (world) => `http://open.test\\@127.0.0.1:${inner(world)}`,
    kinds: ["refused"],
  },
  at("an exception's host at another port", "open.test"),
  {
    name: "an exception's address without its name",
    url: ({ open }) => `http://127.0.0.1:${open.port}`,
    kinds: ["refused"],
  },
  {
    name: "an exception's port at another name",
    url: ({ open }) => `http://inner.test:${open.port}`,
    kinds: ["refused"],
  },
  {
    name: "a parameter that would be the host",
    url: ({ open }) => `http://open.test:${open.port}`,
    path: "/to/{x}",
    params: (world) => ({ x: `../../@127.0.0.1:${inner(world)}/` }),
    kinds: ["invalid"],
  },
  {
    name: "a parameter that climbs",
    url: ({ open }) => `http://open.test:${open.port}/v1`,
    path: "/{x}/admin",
    params: () => ({ x: ".." }),
    kinds: ["invalid"],
  },
  leading("loopback", (world) => `http://127.0.0.1:${inner(world)}/`),
  leading("loopback", (world) => `http://127.0.0.1:${inner(world)}/`, 301),
  leading("loopback", (world) => `http://127.0.0.1:${inner(world)}/`, 303),
  leading("loopback", (world) => `http://127.0.0.1:${inner(world)}/`, 307),
  leading("loopback", (world) => `http://127.0.0.1:${inner(world)}/`, 308),
  leading("loopback without a scheme", (world) => `//127.0.0.1:${inner(world)}/`),
  leading("an inner name", (world) => `http://inner.test:${inner(world)}/`),
  leading("a mapped address", (world) => `http://[::ffff:127.0.0.1]:${inner(world)}/`),
  leading("an exception's host at another port", (world) => `http://open.test:${inner(world)}/`),
  leading("metadata", () => "http://169.254.169.254/latest/meta-data/"),
  leading("a file", () => "file:///etc/passwd"),
  leading("a script", () => "javascript:alert(1)"),
  leading("an address with a password", ({ open }) => `http://user:password@open.test:${open.port}/`),
  leading("no address", () => "http://"),
  leading(
    "a redirect to loopback",
    (world) => `/to?${new URLSearchParams({ url: `http://127.0.0.1:${inner(world)}/` })}`,
  ),
  {
    ...leading("loopback, with a body without end", (world) => `http://127.0.0.1:${inner(world)}/`),
    path: "/huge_to",
  },
  {
    ...leading("loopback, with a slow body", (world) => `http://127.0.0.1:${inner(world)}/`),
    path: "/slow_to",
    kinds: ["timeout"],
    timeout_s: 1,
  },
  open("a fourth redirect", "/hops?n=4", ["refused"]),
  open("redirects without end", "/loop", ["refused"]),
  open("a body without end", "/huge", ["too_large"]),
  open("a gzip bomb", "/gzip", ["too_large"]),
  open("a brotli bomb", "/br", ["too_large"]),
  open("a bomb in a bomb", "/gzip2", ["too_large"]),
  open("twenty encodings", "/gzips", ["network"]),
  open("an encoding that was not asked for", "/zstd", ["network"]),
  open("a slow body", "/slow", ["timeout"], 1),
  raw("headers without end", "/headers", ["too_large"]),
  raw("slow headers", "/drip", ["timeout"], 1),
  raw("no answer", "/silent", ["timeout"], 1),
  raw("a body that ends too early", "/cut", ["network"]),
  raw("two lengths", "/two", ["network"]),
  raw("no HTTP", "/nonsense", ["network"]),
];
