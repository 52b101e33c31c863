/** Planted faults, each with a scenario that reveals it: the eight of the design, and three more. */
import type { Edit } from "./plant.ts";
import {
  askedSeveralTimesAtOnce,
  dueWhileNobodyWasThere,
  killedInItsFirstCall,
  killedInItsSecondCall,
  killedOnceAcknowledged,
  killedWhileATriggerIsClaimed,
  killedWhileItsOutcomeIsWritten,
  lateWithItsOutcome,
  pausedInItsFirstCall,
  type Scenario,
  stoppedInALongCall,
  sweptByTwoAtOnce,
} from "./scenarios.ts";

export interface Plant {
  name: string;
  edits: Edit[];
  /** Edits that the comparison without the fault has, too. */
  always?: Edit[];
  scenario: Scenario;
  /** The invariant that reports it. */
  caught: RegExp;
}

const ENGINE = "server/flow/run/engine.ts";
const OUTCOMES = "server/flow/run/outcomes.ts";
const TAKEOVER = "server/flow/lease/takeover.ts";
const CLAIM = "server/schedule/claim/claim_due.ts";

/** Not a fault: a pause of the process, as on a slow machine, at the worst moment. */
const STANDS_STILL: Edit = {
  file: OUTCOMES,
  find: "        return await record(run) ? run.outcome : undefined;\n",
  put: "        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 7_500);\n" +
    "        return await record(run) ? run.outcome : undefined;\n",
};

/** Not a fault: a slow disk, so that writes arrive while a commit is in flight. */
const SLOW_DISK: Edit = {
  file: "server/flow/storage/group_commit.ts",
  find: "  const atomic = kv.atomic();\n",
  put: "  await new Promise((resolve) => setTimeout(resolve, 150));\n  const atomic = kv.atomic();\n",
};

/**
 * Not a fault: two processes have read the abandoned runs before the first one claims them. Each leaves a file with the
 * number of its process.
 */
const READ_BY_BOTH: Edit = {
  file: TAKEOVER,
  find: "    const claimBatch = async () => {\n",
  put: `    const claimBatch = async () => {
      const readers = Deno.env.get("DATA_DIR") + "/readers";
      await Deno.mkdir(readers, { recursive: true });
      if (batch.length > 0) await Deno.writeTextFile(readers + "/" + Deno.pid, "");
      while (batch.length > 0 && [...Deno.readDirSync(readers)].length < 2) await new Promise((go) => setTimeout(go, 20));
`,
};

/** The process with the higher number claims once the other one's runs have made their calls. */
const CLAIMS_LAST = `
    const folder = Deno.env.get("DATA_DIR");
    const [first] = [...Deno.readDirSync(folder + "/readers")].map(({ name }) => Number(name)).toSorted((a, b) => a - b);
    const called = () => Deno.stat(folder + "/called").then(() => true, () => false);
    while (first !== Deno.pid && !await called()) await new Promise((go) => setTimeout(go, 20));
`;

export const PLANTS: Plant[] = [
  {
    name: "acknowledge before commit",
    edits: [{
      file: "server/flow/run/start.ts",
      find: `
        const made = await store.create(head, run.idempotency_key, mark);
        if ("id" in made) {
          if (head.takes_turn && made.id !== head.id) await turns.pass(head, head.id);
          if (made.same) return { id: made.id };
          throw invalid({ idempotency_key: ["has been used with another input"] });
        }
        enqueue(made, made_at);`,
      put: `
        setTimeout(() => store.create(head, run.idempotency_key, mark), 3_000);
        enqueue({ head, versionstamp: "" }, made_at);`,
    }],
    scenario: killedOnceAcknowledged,
    caught: /is lost/,
  },
  {
    name: "delete KV first",
    edits: [{
      file: OUTCOMES,
      find: "      const recorded = await recordDurably(job, ended);\n",
      put: "      await store.remove(job, job.journal?.kept() ?? 0);\n" +
        "      const recorded = await recordDurably(job, ended);\n",
    }],
    scenario: killedWhileItsOutcomeIsWritten,
    caught: /is lost/,
  },
  {
    name: "no resume",
    edits: [{ file: TAKEOVER, find: "      batch.push(kept);\n", put: "" }],
    scenario: killedInItsFirstCall,
    caught: /is pending for ever/,
  },
  {
    name: "no checkpoint",
    edits: [{
      file: "server/flow/run/execution/journal.ts",
      find: "      await keep(hiding ? await hiding.records(entries) : entries, kept_count);\n",
      put: "",
    }],
    scenario: killedInItsSecondCall,
    caught: /one was called after two/,
  },
  {
    name: "no claim check",
    edits: [{
      file: TAKEOVER,
      find: "const own_versionstamp = await store.checkpoint({ head: claimed, versionstamp });",
      put: CLAIMS_LAST +
        "    const now = await store.find(head.account_id, head.id);\n" +
        "    const expected = now?.versionstamp ?? versionstamp;\n" +
        "    const own_versionstamp = await store.checkpoint({ head: claimed, versionstamp: expected });",
    }],
    always: [READ_BY_BOTH],
    scenario: sweptByTwoAtOnce,
    caught: /was called again for no reason/,
  },
  {
    name: "claim outside the transaction",
    edits: [
      { file: CLAIM, find: "await lockDue(tx, now)", put: "await lockDue(sql, now)" },
      {
        file: CLAIM,
        find: "    const by_id = new Map(triggers",
        put: "    await moveOn(sql, decisions.map(({ next }) => next), now);\n    const by_id = new Map(triggers",
      },
    ],
    scenario: killedWhileATriggerIsClaimed,
    caught: /stands 0 times in the ledger/,
  },
  {
    name: "no catch-up",
    edits: [{
      file: "server/schedule/claim/due_times.ts",
      find: "index < recent.length - 1 || isExpired(time, now, circumstances)",
      put: "index < recent.length - 1 || ageOf(time, now) > ON_TIME_MS",
    }],
    scenario: dueWhileNobodyWasThere,
    caught: /the trigger's moment was missed/,
  },
  {
    name: "no fencing",
    edits: [
      {
        file: ENGINE,
        find: "if (await heartbeat.prove() !== head.owner) throw LOST;",
        put: "await heartbeat.prove();",
      },
      { file: ENGINE, find: "      for (const { controller } of running) controller.abort(LOST);\n", put: "" },
      {
        file: "server/flow/run/work.ts",
        find: "        if (versionstamp === undefined) throw LOST;\n        job.versionstamp = versionstamp;\n",
        put: "        job.versionstamp = versionstamp ?? job.versionstamp;\n",
      },
    ],
    scenario: pausedInItsFirstCall,
    caught: /two was called again for no reason/,
  },
  {
    name: "an interrupted step is kept, and counts as failed",
    edits: [{
      file: "server/flow/run/execution/execute.ts",
      find:
        "    if (error instanceof Interrupted || error instanceof Suspended) throw error;\n    if (error instanceof RunFault) {",
      put: "    if (error instanceof Interrupted || error instanceof RunFault) {",
    }, {
      file: "server/flow/run/execution/execute.ts",
      find: "    if (is_interrupted) journal.appendInterrupted(record);\n    else journal.append(record);\n",
      put: "    journal.append(record);\n",
    }],
    scenario: stoppedInALongCall,
    caught: /ended as error: two: the process stops/,
  },
  {
    name: "no fencing in PostgreSQL",
    edits: [{
      file: "server/flow/storage/record_outcomes.ts",
      find: "    where c.attempts is null\n      or c.attempts <= r.attempts\n",
      put: "",
    }],
    always: [STANDS_STILL],
    scenario: lateWithItsOutcome,
    caught: /there is a record of save, which is no step of it/,
  },
  {
    name: "two claims of a key in one commit",
    edits: [{
      file: "server/flow/storage/group_commit.ts",
      find: "if (count > 0 && (!fits || keys.some((key) => checked.has(key)))) break;",
      put: "if (count > 0 && !fits) break;",
    }],
    always: [SLOW_DISK],
    scenario: askedSeveralTimesAtOnce,
    caught: /the key key_\d was given several runs/,
  },
];
