import assert from "node:assert/strict";
import { isServers } from "./host.ts";

const CASES: [base_url: string, host: string, expected: boolean][] = [
  ["https://atrium.example.com", "atrium.example.com", true],
  ["https://atrium.example.com", "atrium.example.com:443", true],
  ["https://Atrium.example.com/sub", "atrium.example.com", true],
  ["https://atrium.example.com", "atrium.example.com:8443", false],
  ["https://atrium.example.com", "apps.example.com", false],
  ["http://localhost:8000", "localhost", true],
  ["http://localhost:8000", "localhost:8000", true],
  ["http://localhost:8000", "localhost:9000", false],
  ["http://localhost:8000", "localhost:99999", false],
];

const OF_APPS: [apps_origin: string, host: string, expected: boolean][] = [
  ["https://apps.example", "apps.example", true],
  ["https://apps.example", "apps.example:443", true],
  ["https://apps.example", "a.apps.example", false],
  ["https://*.apps.example", "a.apps.example", true],
  ["http://*.localhost:9000", "a.localhost:9000", true],
  ["http://*.localhost:9000", "a.localhost", true],
  ["https://*.apps.example", "apps.example", false],
  ["https://*.apps.example", "xapps.example", false],
];

Deno.test("host: which hosts of accounts take that of BASE_URL, or one of APPS_ORIGIN", () => {
  for (const [base_url, host, expected] of CASES) {
    assert.equal(isServers({ base_url, apps_origin: undefined }, host), expected, `${base_url} ${host}`);
  }
  const base_url = "https://atrium.example.com";
  for (const [apps_origin, host, expected] of OF_APPS) {
    assert.equal(isServers({ base_url, apps_origin }, host), expected, `${apps_origin} ${host}`);
  }
});
