/** Composes and serves. Everything is made here and handed down; nothing below keeps state of its own. */
import { migrate } from "./db/migrate.ts";
import { runCommand } from "./server/commands.ts";
import { createCompiler } from "./server/compiler/sandbox.ts";
import { createVendorFiles } from "./server/compiler/vendor_files.ts";
import { type Config, readConfig } from "./server/config.ts";
import { openDatabase } from "./server/database.ts";
import { surviveLostConnections } from "./server/database_loss.ts";
import { prepareAccount } from "./server/domains/account/first_start.ts";
import { createViewers } from "./server/domains/tokens/viewers.ts";
import { createApp } from "./server/http/app.ts";
import { createPages } from "./server/http/pages.ts";
import { openKv } from "./server/kv.ts";
import { createLog, type Log } from "./server/log.ts";
import { createPasswords } from "./server/passwords.ts";
import { finish, giveUp, proveFree, serve } from "./server/process.ts";

/** Everything behind the door, ready to answer. Also what the tests start. */
export async function compose(config: Config, log: Log) {
  const database = await openDatabase(config, log);
  try {
    const { sql } = database;
    const applied = await migrate(sql);
    if (applied.length > 0) log.info("migrated", { applied });
    const kv = await openKv(config);
    const passwords = createPasswords();
    const clock = { now: () => new Date() };
    const viewers = createViewers({ sql, clock, log });
    const pages = createPages(sql, log);
    const vendor_store = createVendorFiles(sql);
    const compiler = createCompiler({ vendor_store, environment: config.child_environment, log });
    const handler = createApp({ config, sql, kv, compiler, viewers, passwords, pages, clock, log });
    const close = async () => {
      await Promise.all([viewers.close(), compiler.close()]);
      kv.close();
      await database.close();
      log.flush();
    };
    const generated = await prepareAccount(sql, passwords, config);
    return { handler, sql, compiler, generated, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

if (import.meta.main) {
  const log = createLog();
  surviveLostConnections(log);
  try {
    const config = readConfig(Deno.env.toObject());
    if (Deno.args.length > 0) finish(log, await runCommand(config, log, Deno.args));
    proveFree(config);
    const atrium = await compose(config, log);
    serve(config, atrium, log);
    if (!config.hosted) atrium.compiler.warm();
  } catch (error) {
    giveUp(log, error);
  }
}
