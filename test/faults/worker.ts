/**
 * A server process of the fault tests, composed as in `main.ts`: `worker.ts <lease in ms> <sweep every ms> <address>`.
 * The address is the one at which this worker, and no other, finds the oracle.
 *
 * `POST /-/sweep` and `POST /-/tick` run a sweep or a tick, which `Deno.cron` otherwise does every minute.
 */
import { compose } from "../../main.ts";
import { readConfig } from "../../server/config.ts";
import { surviveLostConnections } from "../../server/database/connection/connection_loss.ts";
import { createLog, faultOf } from "../../server/log.ts";
import { giveUp } from "../../server/process/announcements.ts";
import { serve } from "../../server/process/lifecycle.ts";
import { sharedStore } from "../once/compiler/scratch.ts";

const [lease = "", every = "", address = ""] = Deno.args;
const log = createLog();
surviveLostConnections(log);
try {
  const config = readConfig(Deno.env.toObject());
  const atrium = await compose(config, log, {
    vendor_store: sharedStore(),
    lookup: () => Promise.resolve([address]),
    flow_limits: { lease_ms: Number(lease) },
  });
  const works = new Map<string, () => Promise<unknown>>([["/-/sweep", atrium.sweep], ["/-/tick", atrium.tick]]);
  const handler: typeof atrium.handler = async (request, info) => {
    const work = works.get(new URL(request.url).pathname);
    if (!work) return await atrium.handler(request, info);
    await work();
    return new Response(null, { status: 204 });
  };
  serve(config, { ...atrium, handler }, log);
  if (Number(every) > 0) {
    setInterval(() => void atrium.sweep().catch((error) => log.warn("sweep failed", faultOf(error))), Number(every));
  }
} catch (error) {
  giveUp(log, error);
}
