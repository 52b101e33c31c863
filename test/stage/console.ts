/** One build of the console for all tests: it takes seconds of processor time, and minutes on a busy machine. */
import { childEnvironment } from "../../server/config.ts";
import { CONSOLE_BUILD, createConsoleFiles, storedNames } from "../../server/compiler/host/console_files.ts";
import { createVendorFiles } from "../../server/compiler/host/vendor_files.ts";
import type { VendorStore } from "../../server/compiler/host/vendor.ts";
import type { ConsoleManifest } from "../../server/compiler/compiler.ts";
import { openDatabase } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import { buildProcess } from "../../server/subprocess/build_process.ts";
import { sharedStore } from "../once/compiler/scratch.ts";
import type { Place } from "./launch.ts";

/**
 * Builds the console into the store that the tests' servers share, unless it has the present one or that one ships.
 *
 * @throws {Error} why it cannot be built
 */
export async function buildConsole(): Promise<{ store: VendorStore; manifest: ConsoleManifest }> {
  const store = sharedStore();
  const { run } = buildProcess(Deno.execPath(), childEnvironment(Deno.env.toObject()));
  const files = createConsoleFiles({ store, build: () => run(CONSOLE_BUILD), dev: false });
  await files.prepare();
  const manifest = await files.manifest();
  if (!manifest) throw new Error(`the console was not built: ${files.fault()}`);
  return { store, manifest };
}

/** Puts the built console into a new place, as an earlier process of this release leaves it. */
export async function keepConsole({ folder, environment }: Place): Promise<void> {
  const { store, manifest } = await buildConsole();
  const database = await openDatabase(
    { database_url: environment.DATABASE_URL, data_dir: folder },
    createLog(() => {}),
  );
  const kept = createVendorFiles(database.sql);
  for (const name of storedNames(manifest)) {
    const file = await store.get(name);
    if (file) await kept.put(name, file);
  }
  await database.close();
}
