import { z } from "zod";
import { Refusal } from "../../../errors.ts";
import { readList } from "../procedures.ts";
import { AnyId, JsonMap, needed, tool, untrusted, type Use } from "../tool.ts";

const Kind = z.enum(["app", "db", "flow", "trigger", "record", "run"]);

const input = z.object({
  kind: Kind.optional(),
  q: z.string().max(255).optional(),
  db_code: z.string().optional(),
  table_name: z.string().optional(),
  filter: JsonMap.optional().describe('{"field":v} or {"field":{"gte":v}}'),
  flow_code: z.string().optional(),
  status: z.string().optional().describe("of runs"),
  sort: z.string().optional(),
  after: AnyId.optional().describe("last id of the page before (records, runs)"),
  page: z.int().min(1).optional(),
  per_page: z.int().min(1).max(50).default(20),
});
type Input = z.output<typeof input>;

export const search = tool({
  name: "search",
  description:
    "List or search objects. Without kind: apps, dbs, flows and triggers by q. Records need db_code. Apps, " +
    "records and runs come newest first, dbs and flows by name, triggers by id; sort: another field, `-field` descending.",
  input,
  readOnly: true,
  destructive: false,
  async run(use, args) {
    if (args.kind) return untrusted(await searchKind(use, args.kind, args));
    const found = [];
    for (const kind of ["app", "db", "flow", "trigger"] as const) {
      found.push([
        kind,
        await searchKind(use, kind, { ...args, per_page: Math.min(10, args.per_page) }).catch(refused),
      ]);
    }
    return untrusted(Object.fromEntries(found));
  },
});

/** Kinds that the token's scopes leave out do not hide the others. */
function refused(error: unknown): { refused: string } {
  if (error instanceof Refusal && error.status === 403) return { refused: error.message };
  throw error;
}

/** The columns of lists, without what is long. */
const SHOWN: Record<string, readonly string[]> = {
  app: ["id", "name", "url_code", "app_engine", "active", "public", "db_code", "lock_version", "updated_at"],
  db: ["id", "code", "name", "lock_version", "updated_at"],
  flow: ["id", "code", "name", "active", "version", "lock_version", "updated_at"],
  trigger: ["id", "name", "kind", "target_code", "schedule", "sentence", "active", "last_status", "lock_version"],
  run: ["id", "flow_code", "status", "trigger", "error", "started_at", "ms"],
};

async function searchKind(use: Use, kind: z.output<typeof Kind>, args: Input) {
  const { items, total } = await readList(use.ctx, ...queryOf(kind, args));
  const shown = SHOWN[kind];
  const rows = shown ? items.map((item) => Object.fromEntries(shown.map((key) => [key, item[key]]))) : items;
  return { total, rows };
}

function queryOf(kind: z.output<typeof Kind>, args: Input): [procedure: string, input: Record<string, unknown>] {
  const { q, sort, page, per_page, after } = args;
  const paged = { per_page, ...page && { page }, ...sort && { sort } };
  switch (kind) {
    case "app":
      return ["apps.list", { q, ...paged }];
    case "db":
      return ["dbs.list", { q, ...paged }];
    case "flow":
      return ["flows.list", { q, ...paged }];
    case "trigger":
      return ["crons.list", { q, ...paged, target_code: args.flow_code }];
    case "run":
      return ["flow_processes.list", { ...paged, after, flow_code: args.flow_code, status: args.status }];
    case "record": {
      const { table_name, filter } = args;
      return ["records.list", {
        db_code: needed(args.db_code, "db_code"),
        table_name,
        filter,
        q,
        after,
        count: true,
        ...paged,
      }];
    }
  }
}
