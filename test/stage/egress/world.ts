/** A server among hostile hosts: a DNS server under control, APIs that misbehave, and a canary that no request may reach. */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { ConnectorFields } from "../../../server/connectors/connectors.ts";
import { startServer, type TestServer } from "../harness.ts";
import { type Api, type Dns, serveApi, serveDns, serveTcp, type Tcp } from "./outside.ts";

/** The best quality takes seconds for 11 MiB, and the caller's time limit counts them. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

export interface World extends AsyncDisposable {
  server: TestServer;
  dns: Dns;
  /** Listens on IPv4 and, if the machine has it, IPv6. No connector may reach it. */
  canary: Tcp[];
  /** At `open.test`, which the egress rules allow. Redirects to any address. */
  open: Api;
  /** At `other.test`, which the egress rules allow, too. */
  other: Api;
  /** At `raw.test`, which the egress rules allow. Sends malformed HTTP. */
  raw: Tcp;
  /** Inserts a connector without the checks of the API. */
  add(url: string, more?: { path?: string; fields?: unknown }): Promise<{ id: number; code: string }>;
}

export interface HostileCase {
  name: string;
  url(world: World): string;
  /** Of the method; `/` unless told. */
  path?: string;
  params?(world: World): Record<string, string>;
  /** The kinds of fault that are right. */
  kinds: string[];
  /** How often it is tried: a name may answer differently the next time. */
  times?: number;
  timeout_s?: number;
}

const MiB = 1024 * 1024;
const forever = (chunk: Uint8Array, pause_ms = 0) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (pause_ms) await new Promise<void>((resolve) => timer = setTimeout(resolve, pause_ms));
      controller.enqueue(chunk);
    },
    cancel: () => clearTimeout(timer),
  });
};
const zeros = (size: number) => new Uint8Array(size);

function answer(request: Request): Response | undefined {
  const url = new URL(request.url);
  const encoded = (encoding: string, body: Uint8Array<ArrayBuffer>) =>
    new Response(body, { headers: { "content-encoding": encoding } });
  switch (url.pathname) {
    case "/to": {
      const status = Number(url.searchParams.get("status") ?? 302);
      return new Response("elsewhere", { status, headers: { location: url.searchParams.get("url") ?? "" } });
    }
    case "/hops": {
      const left = Number(url.searchParams.get("n"));
      if (left === 0) return undefined;
      return new Response(null, { status: 302, headers: { location: `/hops?n=${left - 1}` } });
    }
    case "/loop":
      return new Response(null, { status: 302, headers: { location: "/loop" } });
    case "/slow_to":
    case "/huge_to": {
      const body = url.pathname === "/slow_to" ? forever(zeros(1), 100) : forever(zeros(MiB));
      return new Response(body, { status: 302, headers: { location: url.searchParams.get("url") ?? "" } });
    }
    case "/huge":
      return new Response(forever(zeros(MiB)));
    case "/slow":
      return new Response(forever(zeros(1), 100));
    case "/gzip":
      return encoded("gzip", new Uint8Array(gzipSync(zeros(11 * MiB))));
    case "/br":
      return encoded("br", new Uint8Array(brotliCompressSync(zeros(11 * MiB), FAST)));
    case "/gzip2":
      return encoded("gzip, gzip", new Uint8Array(gzipSync(gzipSync(zeros(11 * MiB)))));
    case "/gzips":
      return encoded(Array(20).fill("gzip").join(", "), zeros(1));
    case "/zstd":
      return encoded("zstd", zeros(10));
  }
}

/** Sends a malformed, slow or missing answer, depending on the path. */
async function speak(to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(4096);
  const size = await to.read(buffer) ?? 0;
  const [, path] = new TextDecoder().decode(buffer.subarray(0, size)).split(" ");
  const say = (text: string) => to.write(new TextEncoder().encode(text));
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  if (path === "/headers") {
    await say("HTTP/1.1 200 OK\r\n");
    for (let n = 0; n < 100_000; n++) await say(`x-${n}: ${"y".repeat(1000)}\r\n`);
  } else if (path === "/drip") {
    await say("HTTP/1.1 200 OK\r\nx: ");
    for (let n = 0; n < 100; n++) await Promise.all([say("y"), pause(100)]);
  } else if (path === "/silent") await pause(10_000);
  else if (path === "/cut") await say("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc");
  else if (path === "/two") await say("HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc");
  else await say("nonsense\r\n\r\n");
}

export async function createWorld(): Promise<World> {
  const open = serveApi(answer);
  const other = serveApi(answer);
  const raw = serveTcp("127.0.0.1", speak);
  const hit = async (to: Deno.Conn) => void await to.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\ncanary"));
  const canary = [serveTcp("127.0.0.1", hit)];
  try {
    canary.push(serveTcp("::1", hit, canary[0]?.port));
  } catch {
    // The machine has no IPv6, so no connection to the canary's IPv6 address can succeed.
  }
  const dns = await serveDns({
    "open.test": [["127.0.0.1"]],
    "other.test": [["127.0.0.1"]],
    "raw.test": [["127.0.0.1"]],
    "localhost": [["127.0.0.1", "::1"]],
    "inner.test": [["127.0.0.1"]],
    "inner6.test": [["::1"]],
    "mapped.test": [["0:0:0:0:0:ffff:7f00:1"]],
    "nat64.test": [["64:ff9b::7f00:1"]],
    "private.test": [["10.1.2.3"]],
    "metadata.test": [["169.254.169.254"]],
    // The public address is not allocated.
    "mixed.test": [["2d00::1", "127.0.0.1"]],
    "mixed4.test": [["127.0.0.1", "2d00::1"]],
    "silent.test": [],
    "rebind.test": [["2d00::1"], ["127.0.0.1"]],
    "rebind2.test": [["2d00::1"], ["2d00::1"], ["127.0.0.1"]],
  });
  const server = await startServer(
    { EGRESS_ALLOW: `open.test:${open.port},other.test:${other.port},raw.test:${raw.port}` },
    { lookup: dns.lookup },
  );
  return {
    server,
    dns,
    canary,
    open,
    other,
    raw,
    async add(url, { path = "/", fields = { methods: { m: { method: "GET", path } } } } = {}) {
      ConnectorFields.parse(fields);
      const code = `c_${crypto.randomUUID().replaceAll("-", "")}`;
      const [row] = await server.sql<{ id: number }[]>`
        insert into connectors (account_id, code, name, name_folded, url, fields)
        values (1, ${code}, ${code}, ${code}, ${url}, ${JSON.stringify(fields)}::text::json)
        returning id
      `;
      return { id: row?.id ?? 0, code };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await Promise.all([open, other, raw, dns, ...canary].map((part) => part[Symbol.asyncDispose]()));
    },
  };
}
