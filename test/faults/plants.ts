/** Planted faults, each with a story in which it shows: the eight that the design names, and three more. */
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
  /** Without the fault, too. */
  always?: Edit[];
  scenario: Scenario;
  /** What the invariants say of it. */
  caught: RegExp;
}

const ENGINE = "server/flow/run/engine.ts";
const ORPHANS = "server/flow/lease/takeover.ts";

/** No fault: what a slow machine may do at any moment, at the worst one. */
const STANDS_STILL: Edit = {
  file: ENGINE,
  find: "        return await record(ended) ? ended.outcome : undefined;\n",
  put: "        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);\n" +
    "        return await record(ended) ? ended.outcome : undefined;\n",
};

/** Likewise: what comes while a commit is on its way waits for the next one. */
const SLOW_DISK: Edit = {
  file: "server/flow/storage/group_commit.ts",
  find: "  const atomic = kv.atomic();\n",
  put: "  await new Promise((resolve) => setTimeout(resolve, 30));\n  const atomic = kv.atomic();\n",
};

/** Likewise: several have looked before the first one claims. */
const LONG_LOOK: Edit = {
  file: ORPHANS,
  find: "    const claimPage = async () => {\n",
  put: "    const claimPage = async () => {\n      await new Promise((resolve) => setTimeout(resolve, 200));\n",
};

export const PLANTS: Plant[] = [
  {
    name: "acknowledge before commit",
    edits: [{
      file: ENGINE,
      find: `
        const made = await store.create(head, run.idempotency_key);
        if ("id" in made) {
          if (made.same) return { id: made.id };
          throw invalid({ idempotency_key: ["has been used with another input"] });
        }
        enqueue(made, false);`,
      put: `
        setTimeout(() => store.create(head, run.idempotency_key), 300);
        enqueue({ head, versionstamp: "" }, false);`,
    }],
    scenario: killedOnceAcknowledged,
    caught: /is lost/,
  },
  {
    name: "delete KV first",
    edits: [{
      file: ENGINE,
      find: "      const told = await recorded(ended);\n",
      put: "      await store.remove(job, job.journal.kept());\n      const told = await recorded(ended);\n",
    }],
    scenario: killedWhileItsOutcomeIsWritten,
    caught: /is lost/,
  },
  {
    name: "no resume",
    edits: [{ file: ORPHANS, find: "      page.push(kept);\n", put: "" }],
    scenario: killedInItsFirstCall,
    caught: /is pending for ever/,
  },
  {
    name: "no checkpoint",
    edits: [{
      file: "server/flow/run/journal.ts",
      find: "      await keep(entries.slice(kept_count), kept_count);\n",
      put: "",
    }],
    scenario: killedInItsSecondCall,
    caught: /one was called after two/,
  },
  {
    name: "no claim check",
    edits: [{
      file: ORPHANS,
      find: "const mine = await store.checkpoint({ head: claimed, versionstamp });",
      put: "await new Promise((resolve) => setTimeout(resolve, 100 * Math.random()));\n" +
        "    const now = await store.find(head.account_id, head.id);\n" +
        "    const mine = await store.checkpoint({ head: claimed, versionstamp: now?.versionstamp ?? versionstamp });",
    }],
    always: [LONG_LOOK],
    scenario: sweptByTwoAtOnce,
    caught: /was called again for no reason/,
  },
  {
    name: "claim outside the transaction",
    edits: [
      { file: "server/schedule/due.ts", find: "await lockDue(tx, now)", put: "await lockDue(sql, now)" },
      {
        file: "server/schedule/due.ts",
        find: "    const codes = new Map(crons",
        put: "    if (moved.length > 0) await moveOn(sql, moved, now);\n    const codes = new Map(crons",
      },
    ],
    scenario: killedWhileATriggerIsClaimed,
    caught: /stands 0 times in the ledger/,
  },
  {
    name: "no catch-up",
    edits: [{
      file: "server/schedule/expression/slots.ts",
      find: "isOld(slot)) return missed(slot);",
      put: "age(slot) > ON_TIME_MS) return missed(slot);",
    }],
    scenario: dueWhileNobodyWasThere,
    caught: /the trigger's moment was missed/,
  },
  {
    name: "no fencing",
    edits: [
      { file: ENGINE, find: "if (await owner.prove() !== head.owner) throw LOST;", put: "await owner.prove();" },
      { file: ENGINE, find: "    for (const job of jobs.values()) job.controller.abort(LOST);\n", put: "" },
      {
        file: ENGINE,
        find: "        if (versionstamp === undefined) throw LOST;\n        job.versionstamp = versionstamp;\n",
        put: "        job.versionstamp = versionstamp ?? job.versionstamp;\n",
      },
    ],
    scenario: pausedInItsFirstCall,
    caught: /two was called again for no reason/,
  },
  {
    name: "what was cut off counts as failed",
    edits: [{
      file: "server/flow/run/execute.ts",
      find: "    if (error instanceof Interrupted) throw error;\n    if (error instanceof RunFault) {",
      put: "    if (error instanceof Interrupted || error instanceof RunFault) {",
    }],
    scenario: stoppedInALongCall,
    caught: /ended as error: two: the process stops/,
  },
  {
    name: "no fencing in PostgreSQL",
    edits: [{
      file: "server/flow/storage/history.ts",
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
