import assert from "node:assert/strict";
import postgres from "postgres";
import { freePort } from "../../../test/stage/network/ports.ts";
import { until } from "../../../test/stage/until.ts";
import { createLog } from "../../log.ts";
import { surviveLostConnections } from "./connection_loss.ts";

Deno.test({
  name: "connection loss: a refused reconnection for an abandoned query is logged, and the process lives",
  // The listeners stay.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const lines: string[] = [];
    surviveLostConnections(createLog((text) => lines.push(text)));
    const sql = postgres(`postgres://nobody@127.0.0.1:${freePort()}/none`, { max: 1, onnotice: () => {} });
    void sql`select 1`.execute();
    await until(() => lines.some((line) => line.includes("ECONNREFUSED")), "it is logged");
    assert.match(lines.join(""), /"event":"database connection lost"/);
    await sql.end({ timeout: 0 });
  },
});
