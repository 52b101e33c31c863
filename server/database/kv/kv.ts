/** Opens Deno KV, which holds only runs in progress. PostgreSQL is the source of truth for everything else. */
import { type Config, ConfigError } from "../../config.ts";

type Open = (path?: string) => Promise<Deno.Kv>;

/** Opens `kv_url` if it is set, the host's own store on Deno Deploy, otherwise a file in `data_dir`. */
export async function openKv(
  { kv_url, data_dir, hosted }: Config,
  open: Open = (path) => Deno.openKv(path),
): Promise<Deno.Kv> {
  if (kv_url) return await openShared(kv_url, open);
  if (hosted) return await openKvOfHost(open);
  await Deno.mkdir(data_dir, { recursive: true, mode: 0o700 });
  return await openShared(`${data_dir}/kv.sqlite3`, open);
}

/** How long other processes may keep a file locked that they prepare at the same time. */
const LOCKED_MS = 30_000;
const RETRY_MS = 50;

/**
 * SQLite refuses to open a new file for all but one of the processes that start together.
 *
 * @throws {Error} with the place, which SQLite's own messages mostly lack
 */
async function openShared(place: string, open: Open): Promise<Deno.Kv> {
  for (const deadline = performance.now() + LOCKED_MS;;) {
    try {
      return await open(place);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!reason.includes("database is locked") || performance.now() > deadline) {
        throw new Error(`Deno KV in ${place} cannot be opened: ${reason}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** @throws {ConfigError} if the app has no store. Without one, `Deno.openKv` is missing or fails */
async function openKvOfHost(open: Open): Promise<Deno.Kv> {
  try {
    return await open();
  } catch (error) {
    throw new ConfigError([
      'Deno KV is required here: provision a database "Deno KV" on the page Databases of the organization, and assign ' +
      `it to the app. Opening it failed: ${error instanceof Error ? error.message : String(error)}`,
    ]);
  }
}
