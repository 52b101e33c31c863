/** Creates the services and the request handler of one server. Modules keep no state; everything is passed down. */
import { createCompiler } from "./compiler/host/sandbox.ts";
import type { VendorStore } from "./compiler/host/vendor.ts";
import { createVendorFiles } from "./compiler/host/vendor_files.ts";
import { createChatModel } from "./outside/chat_model.ts";
import type { Config } from "./config.ts";
import { createConnectors, type Lookup } from "./connectors/connectors.ts";
import { makeCredentials, prepareAccount } from "./domains/account/first_start.ts";
import { sweepAgents } from "./domains/agents/sessions.ts";
import { sweepEntries } from "./domains/audit/queries.ts";
import { sweepEntryCodes } from "./domains/apps/entry_codes.ts";
import { sweepDrafts } from "./domains/apps/drafts/queries.ts";
import { createOpeningCounter } from "./domains/apps/openings/counter.ts";
import { sweepOpenings } from "./domains/apps/openings/queries.ts";
import { sweepPreviews } from "./domains/apps/previews/queries.ts";
import { sweepLinks } from "./domains/invitations/sweep.ts";
import { sweepSignIns } from "./domains/sessions/sweep.ts";
import { sweepFlowDrafts } from "./domains/flows/drafts/queries.ts";
import { sweepRetries } from "./domains/flow_processes/batches/queries.ts";
import { createLogExchange } from "./domains/operations/log_exchange.ts";
import { createProcessReport } from "./domains/operations/process_report.ts";
import { createViewers } from "./domains/sessions/viewers.ts";
import { createEvaluations } from "./flow/confined/evaluations.ts";
import { createFlows } from "./flow/run/engine.ts";
import type { Limits } from "./flow/run/limits.ts";
import { createRateLimits } from "./fairness/rate_limits.ts";
import { createApp } from "./http/front_door.ts";
import { createBodyDeadlines } from "./http/rest/body_deadlines.ts";
import { createPages } from "./http/pages/page_cache.ts";
import { createIdentityProvider } from "./secrets/identity_provider.ts";
import { signApproval } from "./secrets/approval_links.ts";
import { openKeys } from "./secrets/keys.ts";
import { hasStoredSecrets } from "./secrets/stored_secrets.ts";
import { createRowReads } from "./database/groups/reads.ts";
import { createRowWrites } from "./database/groups/writes.ts";
import { openStores, type Stores } from "./database/stores.ts";
import type { Log } from "./log.ts";
import { createMailer } from "./outside/mail.ts";
import { createRelease } from "./process/release.ts";
import { loadRouter } from "./router.ts";
import { createPasswords, type Passwords } from "./secrets/passwords.ts";
import { createPasswordStrength } from "./secrets/password_strength.ts";
import { createSchedules } from "./schedule/schedule.ts";
import { createDatabases } from "./store/definition/databases.ts";
import { createFeeds } from "./store/feed/feeds.ts";
import { sweepStore } from "./store/sweep.ts";

interface Parts {
  /** Opened, or about to be. They are closed with the server, or if it cannot be created. */
  stores?: Promise<Stores>;
  /** There is no account yet: the hash of its admin's password is computed while the stores are opened. */
  is_first_start?: boolean;
  vendor_store?: VendorStore;
  passwords?: Passwords;
  lookup?: Lookup;
  flow_limits?: Partial<Limits>;
  /** How long a source waits for a compile worker. */
  compile_wait_ms?: number;
  /** How long a compile worker may work on one source. */
  compile_limit_ms?: number;
  /**
   * Loads each domain at its first need instead of all of them before the first request. Where one cannot be loaded, the
   * function is called with the reason, and has to end the process.
   */
  on_demand?: (broken: string) => void;
  /** Called with a reason to end the process: see `CompilerOptions`. */
  runaway?: (reason: string) => void;
}

/** Stores of Deno KV that are reached over the network may refuse a commit with more checks. */
const HOSTED_LIMITS: Partial<Limits> = { checks_at_once: 10 };

/**
 * Opens the stores, if they are not given, and creates everything that answers requests. Tests use it, too.
 *
 * @param parts what is already there, and replacements for tests
 */
export async function compose(config: Config, log: Log, parts: Parts = {}) {
  const passwords = parts.passwords ?? createPasswords();
  const credentials = () => makeCredentials(passwords, config.admin);
  const begun = parts.is_first_start ? credentials() : undefined;
  const { database, kv } = await (parts.stores ?? openStores(config, log));
  try {
    const { sql, times } = database;
    const keys = await openKeys(config, () => hasStoredSecrets(sql));
    const strength = createPasswordStrength();
    const clock = { now: () => new Date() };
    const viewers = createViewers({ sql, keys, config, clock, log });
    const limits = createRateLimits({ sql, clock, log });
    const pages = createPages(sql, log);
    const vendor_store = parts.vendor_store ?? createVendorFiles(sql);
    const compiler = createCompiler({
      vendor_store,
      environment: config.child_environment,
      wait_ms: parts.compile_wait_ms,
      time_limit_ms: parts.compile_limit_ms,
      runaway: parts.runaway,
      dev: config.dev,
      log,
    });
    const dbs = createDatabases(sql, log);
    const feeds = createFeeds(sql, log);
    const connectors = createConnectors({ sql, keys, config, log, lookup: parts.lookup });
    const flows = createFlows(
      {
        sql,
        kv,
        keys,
        connectors,
        compiler,
        evaluations: createEvaluations({ environment: config.child_environment, log }),
        dbs,
        users: viewers.users,
        approvalLink(id) {
          const { token, signature } = signApproval(keys, id);
          return { url: `${config.base_url}/approval?token=${token}`, signature };
        },
        clock,
        log,
        alone: config.database_url === undefined,
        cronEnded: (id) => schedules.noteEnd(id),
      },
      { ...(config.hosted && HOSTED_LIMITS), ...parts.flow_limits },
    );
    const schedules = createSchedules(
      { sql, flows, clock, log },
      { dbs, users: viewers.users },
      config.has_effects,
    );
    const openings = createOpeningCounter({ sql, clock, log });
    const body_deadlines = createBodyDeadlines();
    const release = createRelease();
    const process_report = createProcessReport({
      sql,
      clock,
      release,
      log,
      process_number: config.process_number,
      is_embedded: config.database_url === undefined,
      load: () => ({ runs: flows.load(), calls: connectors.load(), compiler: compiler.load() }),
    });
    const log_exchange = createLogExchange({
      sql,
      log,
      process: { number: config.process_number ?? 1, pid: Deno.pid },
      alone: config.database_url === undefined,
    });
    const router = parts.on_demand ? undefined : await loadRouter();
    const handler = createApp(
      {
        body_deadlines,
        openings,
        config,
        sql,
        reads: createRowReads(sql),
        writes: createRowWrites(sql),
        kv,
        compiler,
        viewers,
        passwords,
        strength,
        mailer: createMailer(config),
        model: createChatModel(config.ai),
        identity_provider: createIdentityProvider(config.oidc, config.base_url, log),
        pages,
        keys,
        limits,
        dbs,
        feeds,
        connectors,
        flows,
        schedules,
        clock,
        release,
        process_report,
        log_exchange,
        statement_times: times,
        log,
      },
      router,
      parts.on_demand,
    );
    let is_closing = false;
    const close = async () => {
      is_closing = true;
      await openings.close();
      await process_report.close();
      await log_exchange.close();
      await schedules.close();
      await flows.close();
      await Promise.all([
        viewers.close(),
        limits.close(),
        compiler.close(),
        feeds.close(),
        connectors.close(),
        strength.close(),
      ]);
      kv.close();
      await database.close();
      log.flush();
    };
    const sweeps: (() => Promise<unknown>)[] = [
      () => sweepStore(sql, clock.now()),
      () => sweepSignIns(sql),
      () => sweepLinks(sql),
      () => sweepEntries(sql, clock.now()),
      () => sweepEntryCodes(sql, 1_000),
      () => sweepPreviews(sql, 1_000),
      () => openings.flush(),
      () => sweepOpenings(sql, clock.now(), 1_000),
      () => sweepDrafts(sql, 1_000),
      () => sweepFlowDrafts(sql, 1_000),
      () => sweepRetries(sql, 1_000),
      () => sweepAgents(sql, 1_000),
      () => connectors.sweep(),
      () => flows.sweep(),
      () => schedules.sweep(),
      () => process_report.sweep(),
    ];
    const generated = await prepareAccount(sql, config.admin, () => begun ?? credentials());
    return {
      handler,
      sql,
      compiler,
      connectors,
      flows,
      generated,
      /** Ends event streams and waits for runs, which would otherwise stay open. */
      endStreams: () => {
        feeds.end();
        flows.endWaits();
      },
      /** The once-a-minute clean-up. */
      sweep: () =>
        process_report.timed("sweep", async () => {
          for (const step of sweeps) {
            // The next process goes on.
            if (is_closing) return;
            await step().catch((error) => {
              if (!is_closing) throw error;
            });
          }
        }),
      /** Starts the triggers that are due. */
      tick: () => process_report.timed("tick", () => schedules.tick()),
      close,
    };
  } catch (error) {
    kv.close();
    await database.close();
    throw error;
  }
}
