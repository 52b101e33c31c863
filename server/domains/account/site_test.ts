import assert from "node:assert/strict";
import { originOf } from "./site.ts";

const CASES: [base_url: string, host: string | null, origin: string][] = [
  ["https://atrium.example.com/sub", null, "https://atrium.example.com/sub"],
  ["https://atrium.example.com", "apps.example.com", "https://apps.example.com"],
  ["http://localhost:8000", "second.localhost", "http://second.localhost:8000"],
  ["http://localhost:8000", "second.localhost:9000", "http://second.localhost:9000"],
  ["http://localhost", "second.localhost:9000", "http://second.localhost:9000"],
];

Deno.test("site: an account's own host has the port of BASE_URL, unless it names one", () => {
  for (const [base_url, host, origin] of CASES) assert.equal(originOf(base_url, host), origin);
});
