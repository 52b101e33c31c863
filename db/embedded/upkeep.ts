/**
 * Does what a PostgreSQL server does in the background and a single backend does not: checkpoints, without which the
 * log grows without limit, and vacuum and analyze, without which tables do.
 */
import type { Backend } from "./backend.ts";
import type { Turns } from "./turns.ts";

const TICK_MS = 1_000;
/**
 * The length of the log that causes a checkpoint (tens of milliseconds). Recovery of this much takes under a second.
 */
const LOG_BYTES = 32 * 1024 * 1024;
const TICKS_PER_VACUUM = 60;

/** The thresholds of PostgreSQL's autovacuum. One table at a time, because a vacuum blocks everything else. */
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

/** Makes a checkpoint if the log has grown. With `vacuums`, it also vacuums the table that needs it most. */
export function keepUp(backend: Backend, vacuums: boolean): void {
  if (Number(backend.select(LOG_SINCE_CHECKPOINT)[0]) > LOG_BYTES) backend.select("checkpoint");
  const [vacuum] = vacuums ? backend.select(NEEDY_TABLE) : [];
  if (vacuum) backend.select(vacuum);
}

/**
 * Checks once a second whether something is due, if requests were served in that second.
 *
 * @returns ends the checks
 */
export function startUpkeep(turns: Turns): () => void {
  let runs = 0;
  let ticks = 0;
  const timer = setInterval(() => {
    if (turns.runs === runs) return;
    runs = turns.runs;
    const vacuums = ++ticks % TICKS_PER_VACUUM === 0;
    turns.alone(({ backend }) => keepUp(backend, vacuums)).catch(() => {
      // For example a full disk. Writers get the error, and the next tick tries again.
    });
  }, TICK_MS);
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}
