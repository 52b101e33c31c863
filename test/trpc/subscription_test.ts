/** Follows a database's changes with the typed client's subscription, which is an EventSource. */
import assert from "node:assert/strict";
import { createClient } from "../../client/mod.ts";
import { ADMIN_TOKEN, startServer } from "../stage/harness.ts";
import { testBeside } from "../stage/scenario.ts";

/** Resolves with the events of a subscription, once there are `count`. */
function heard(client: ReturnType<typeof createClient>, db_code: string, count: number, lastEventId?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ id: string; event: string }[]>();
  const events: { id: string; event: string }[] = [];
  const started = Promise.withResolvers<void>();
  const subscription = client.records.changes.subscribe({ db_code, lastEventId }, {
    onData({ id, data: { event } }) {
      events.push({ id, event });
      started.resolve();
      if (events.length < count) return;
      subscription.unsubscribe();
      resolve(events);
    },
    onError: reject,
  });
  return { events: promise, started: started.promise };
}

testBeside({
  name: "subscription: sends changes, and resumes after the last received one",
  // The EventSource closes its connection asynchronously.
  async fn() {
    const server = await startServer();
    try {
      const client = createClient({ url: server.listen(), token: ADMIN_TOKEN });
      await client.dbs.create.mutate({ db: { name: "Notes", schema: { fields: { text: "string" } } } });
      const write = (text: string) => client.records.create.mutate({ db_code: "notes", record: { data: { text } } });
      const first = heard(client, "notes", 2);
      await first.started;
      await write("one");
      assert.deepEqual(await first.events, [{ id: "0", event: "ready" }, { id: "1", event: "create" }]);
      await write("two");
      const later = heard(client, "notes", 2, "1");
      assert.deepEqual(await later.events, [{ id: "1", event: "ready" }, { id: "2", event: "create" }]);
      const stranger = createClient({ url: server.listen(), token: "atr_nobody" });
      await assert.rejects(heard(stranger, "notes", 1).events, { message: "A valid access token is needed" });
      await assert.rejects(heard(client, "nothing", 1).events, { message: "Database not found" });
    } finally {
      await server.close();
    }
  },
});
