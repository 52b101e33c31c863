/** Shapes of the figures of the whole server. They name no account and nothing of one. */
import { z } from "zod";
import { Timestamp, Uuid } from "../../input/shapes.ts";

const Count = z.int().min(0).meta({ examples: [0] });

const Pass = z.object({
  at: Timestamp.describe("Its last begin"),
  ms: z.int().nullable().describe("How long it took; null while it lasts").meta({ examples: [34] }),
  fault: z.string().nullable().describe("Why it failed, if it did").meta({ examples: [null] }),
});

/** What a process says of itself. */
export const Report = z.object({
  number: z.int().describe("Of the processes that `WORKERS` started").meta({ examples: [1] }),
  pid: z.int().meta({ examples: [4711] }),
  version: z.string().meta({ examples: ["0.1.0"] }),
  release: z.string().describe("The sources that it runs").meta({ examples: ["5f0c2a9d1e556f0c"] }),
  memory: z.object({
    rss: Count.describe("Bytes that the operating system counts"),
    heap: Count.describe("Bytes of JavaScript objects"),
  }),
  runs: z.object({
    in_progress: Count.describe("Runs that have begun and have not ended, or wait for their turn"),
    executed: Count.describe("Those that the process works on"),
  }),
  calls: z.object({ in_progress: Count.describe("Calls of connectors that are sent or wait for their turn") }),
  compiler: z.object({
    workers: Count.describe("At most"),
    ready: Count.describe("Those that have started"),
    busy: Count,
    waiting: Count.describe("Sources that wait for a worker"),
    building: z.array(z.string()).describe("Runtimes that are being built").meta({ examples: [[]] }),
  }),
  sweep: Pass.nullable().describe("The clean-up, once a minute; null before the first one"),
  tick: Pass.nullable().describe("The pass of the scheduler, once a minute; null before the first one"),
});
export type Report = z.output<typeof Report>;
export type Pass = z.output<typeof Pass>;

const StatementTimes = z.array(z.object({
  text: z.string().describe("Without values").meta({ examples: ["select 1"] }),
  calls: Count,
  ms: z.number().describe("On average").meta({ examples: [12.5] }),
  most_ms: z.number().meta({ examples: [340] }),
}));

const LiveProcess = Report.extend({ id: Uuid, started_at: Timestamp, seen_at: Timestamp });

export const Operations = z.object({
  at: Timestamp,
  processes: z.array(LiveProcess).describe("Those that were seen within the last 35 seconds, the oldest first"),
  queues: z.object({
    runs_waiting: Count.describe("Runs that wait for a moment, an answer or another run"),
    runs_due: Count.describe("Those whose moment has come"),
    approvals_open: Count,
    triggers_overdue: Count.describe("Triggers that have been due for more than two minutes"),
    trigger_runs_queued: Count.describe("Due times that wait for the run before, or for capacity"),
  }).describe("Counts end at 10,000"),
  database: z.object({
    engine: z.enum(["PostgreSQL", "embedded"]),
    version: z.string().meta({ examples: ["16.4"] }),
    bytes: Count.describe("Size of the database"),
    connections: z.int().nullable().describe("To this database, of all programs; null with the embedded database")
      .meta({ examples: [12] }),
    tables: z.array(z.object({
      name: z.string().meta({ examples: ["records"] }),
      bytes: Count.describe("With its indexes"),
      rows: Count.describe("An estimate"),
    })).describe("The ten largest"),
  }).nullable().describe("Null if the request leaves it out"),
  statements: z.object({
    running: z.array(z.object({
      text: z.string().describe("Without the values of parameters").meta({ examples: ["select 1"] }),
      ms: Count.describe("Since its begin"),
      waits_for: z.string().nullable().meta({ examples: ["Lock"] }),
    })).describe("Statements of this server that have run for more than a second"),
    measured: StatementTimes.describe(
      "The slowest by average since the start of the process that answers, as it measured them, with the waits for a " +
        "connection",
    ),
    slowest: StatementTimes.nullable().describe(
      "By average, if PostgreSQL has the extension `pg_stat_statements`; otherwise null",
    ),
  }),
  background: z.object({
    reindexing: z.array(z.object({ done: Count, total: Count, told_at: Timestamp }))
      .describe("Changes of schemas that go over records"),
    dropped_tables: Count.describe("Tables of databases whose records the sweep still deletes"),
  }),
});
export type Operations = z.output<typeof Operations>;
export type Sizes = NonNullable<Operations["database"]>;

export const OperationsQuery = z.object({
  database: z.boolean().default(true).describe("Whether the sizes of the database are read, which takes longest"),
});
