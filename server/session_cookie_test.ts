import assert from "node:assert/strict";
import { sessionSecret } from "./session_cookie.ts";

const SECRET = "a".repeat(43);

/** Reads without `Sec-Fetch-Site` and without `Origin`: whether the cookie counts. */
const SILENT: [base_url: string, host: string, counts: boolean][] = [
  // HOST=0.0.0.0 without BASE_URL, seen from another machine: browsers say nothing there.
  ["http://localhost:8000", "192.168.1.5:8000", true],
  ["http://localhost:8000", "server.lan:8000", true],
  ["http://server.lan:8000", "server.lan:8000", true],
  ["http://localhost:8000", "localhost:8000", false],
  ["http://localhost:8000", "127.0.0.1:8000", false],
  ["http://localhost:8000", "[::1]:8000", false],
  ["http://server.lan:8000", "second.localhost:8000", false],
  ["https://atrium.example", "atrium.example", false],
];

Deno.test("session: a read that says nothing of its origin counts where browsers never do, by the host they ask", () => {
  for (const [base_url, host, counts] of SILENT) {
    const name = base_url.startsWith("https:") ? "__Host-session" : "session";
    const request = new Request(`http://${host}/`, { headers: { cookie: `${name}=${SECRET}` } });
    const secret = sessionSecret(request, { base_url, apps_origin: undefined });
    assert.equal(secret, counts ? SECRET : undefined, `${base_url} ${host}`);
  }
});
