import assert from "node:assert/strict";
import { isHostOf } from "./host.ts";

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

Deno.test("host: which hosts of accounts take that of BASE_URL", () => {
  for (const [base_url, host, expected] of CASES) {
    assert.equal(isHostOf(base_url, host), expected, `${base_url} ${host}`);
  }
});
