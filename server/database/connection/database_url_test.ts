import assert from "node:assert/strict";
import { addressForDriver } from "./database_url.ts";

const CASES: [given: string, sent: string][] = [
  ["", ""],
  ["?sslmode=require&channel_binding=require", "?sslmode=require"],
  ["?sslrootcert=system", "?sslmode=verify-full"],
  ["?pgbouncer=true&connection_limit=1", ""],
  ["?options=endpoint%3Dtwo%20words&target_session_attrs=any", "?options=endpoint%3Dtwo%20words"],
  ["?target_session_attrs=read-write&statement_timeout=5", "?target_session_attrs=read-write&statement_timeout=5"],
];

Deno.test("database url: parameters for libpq and for poolers are not sent to PostgreSQL, all others are", () => {
  const address = "postgresql://me:p%2Fw@host.example:6432/atrium";
  for (const [given, sent] of CASES) assert.equal(addressForDriver(address + given), address + sent);
});
