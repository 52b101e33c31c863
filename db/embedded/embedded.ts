/**
 * The default database of a new machine: PGlite, which is PostgreSQL as WebAssembly, in this process and one folder.
 * postgres.js uses it through a Duplex that speaks PostgreSQL's protocol, so the same queries run on both databases.
 *
 * Limits:
 * - No fsync on commit. An acknowledged write survives the death of the process. A power failure may lose the last
 *   second.
 * - `COPY FROM STDIN` is refused, and statement timeouts are ignored.
 * - Session advisory locks do not exclude other connections; `pg_advisory_xact_lock` does.
 * - A second process on the same folder is refused.
 *
 * `@electric-sql/pglite-socket` is not used (0.2.17 examined). Outside of transactions it queues single messages instead
 * of batches, so the unnamed statements and portals of two connections mix. It sends a notification to the connection
 * whose query ran, not to those that listen. It ignores cancel requests, does not separate the settings of connections,
 * and after one query that throws, all later queries wait without end. It also needs a port or socket file.
 */
import { Backend, BackendStopped } from "./backend.ts";
import { isCreated, openFolder } from "./folder.ts";
import { FolderLocked, lockFolder, NoFileLocks } from "./lock.ts";
import { EmbeddedSocket } from "./socket.ts";
import { readTemplate } from "./template.ts";
import { Turns } from "./turns.ts";
import { startUpkeep } from "./upkeep.ts";

export { FolderLocked, isCreated, NoFileLocks };

export interface Embedded {
  /**
   * For postgres.js: `postgres({ socket: embedded.socket, max: 4 })`. One Duplex for each connection. Throws once
   * closed.
   */
  socket: () => EmbeddedSocket;
  /** Ends all connections and rolls back their transactions, writes a checkpoint and releases the folder. */
  close(): Promise<void>;
  /** The data folder as a tarball. Tests start from a migrated copy. */
  dump(): Promise<Uint8Array>;
}

export interface EmbeddedOptions {
  /** The lock file is `<folder>.lock`. Null keeps everything in memory, for tests. */
  folder: string | null;
  /** A tarball made by `dump`. Only for a folder without a database. */
  load?: Uint8Array;
  /**
   * How long a statement waits for another connection's idle transaction before it fails with SQLSTATE 55P03. The
   * default of 25 s is less than the driver's `connect_timeout`, whose error would not say why. If other connections
   * still wait after twice this time, the idle transaction is rolled back and its connection ended.
   */
  lock_wait_ms?: number;
}

/**
 * @throws {FolderLocked} if another process uses the folder
 * @throws {NoFileLocks} on a Deno that cannot lock files
 * @throws {Error} with the folder and the reason, if the database cannot start
 */
export async function openEmbedded({ folder, load, lock_wait_ms = 25_000 }: EmbeddedOptions): Promise<Embedded> {
  const unlock = folder === null ? () => {} : await lockFolder(folder);
  const backend = await (folder === null ? openMemory(load) : openFolder(folder, load)).catch((error) => {
    unlock();
    if (!(error instanceof BackendStopped) || folder === null) throw error;
    throw new Error(`The embedded database in ${folder} does not start: ${error.message}`, { cause: error });
  });
  const reopen = () => folder === null ? Promise.reject(new Error("it was in memory only")) : openFolder(folder);
  const turns = new Turns(backend, reopen, lock_wait_ms);
  const endUpkeep = startUpkeep(turns);
  let sockets = 0;
  let isOpen = true;
  const mustBeOpen = () => {
    if (!isOpen) throw new Error("the embedded database is closed");
  };
  return {
    socket() {
      mustBeOpen();
      return new EmbeddedSocket(turns, backend.parameters, ++sockets);
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      endUpkeep();
      try {
        await turns.close();
      } finally {
        unlock();
      }
    },
    async dump() {
      mustBeOpen();
      return await turns.alone(({ backend }) => {
        // A database that loads the dump then has almost nothing to recover.
        backend.select("checkpoint");
        return backend.dump();
      });
    },
  };
}

const openMemory = async (load?: Uint8Array) => await Backend.open(null, load ?? await readTemplate());
