/**
 * What a PostgreSQL server does in the background, and a lone backend never: checkpoints, without which its log grows
 * for as long as it lives, and vacuum and analyze, without which its tables do.
 */
import type { Backend } from "./backend.ts";
import type { Turns } from "./turns.ts";

const TICK_MS = 1_000;
/** A checkpoint takes some tens of milliseconds; recovery after a crash, less than a second for this much. */
const LOG_BYTES = 32 * 1024 * 1024;
const TICKS_PER_VACUUM = 60;

/** PostgreSQL's own thresholds of autovacuum. One table at a time, the neediest first, because nothing else runs then. */
const NEEDY_TABLE = `
  select format('vacuum (analyze) %I.%I', stat.schemaname, stat.relname)
  from pg_stat_user_tables stat
  join pg_class on pg_class.oid = stat.relid
  where stat.n_dead_tup > 50 + 0.2 * greatest(reltuples, 0)
    or stat.n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0)
  order by stat.n_dead_tup + stat.n_mod_since_analyze desc, stat.relid
  limit 1
`;

const LOG_SINCE_CHECKPOINT = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint from pg_control_checkpoint()
`;

/** A checkpoint where the log has grown; and where it `vacuums`, the table that needs it most. */
export function keepUp(backend: Backend, vacuums: boolean): void {
  if (Number(backend.select(LOG_SINCE_CHECKPOINT)[0]) > LOG_BYTES) backend.select("checkpoint");
  const [vacuum] = vacuums ? backend.select(NEEDY_TABLE) : [];
  if (vacuum) backend.select(vacuum);
}

/**
 * Looks each second in which something ran whether there is something to do.
 *
 * @returns what ends it
 */
export function startUpkeep(turns: Turns): () => void {
  let runs = 0;
  let ticks = 0;
  const timer = setInterval(() => {
    if (turns.runs === runs) return;
    runs = turns.runs;
    const vacuums = ++ticks % TICKS_PER_VACUUM === 0;
    turns.alone(({ backend }) => keepUp(backend, vacuums)).catch(() => {
      // A full disk, say. Whoever writes is told; here the next tick tries again.
    });
  }, TICK_MS);
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}
