/**
 * The default database of a fresh machine: PostgreSQL inside of this process, in one folder, spoken to by the same
 * driver as a server. Nothing else knows that it exists.
 *
 * What it does not do: fsync on commit (an acknowledged write survives the end of the process, however sudden; a power
 * cut may lose the last second), `COPY FROM STDIN` (refused), time-outs of statements (ignored), session advisory locks
 * that exclude other connections (`pg_advisory_xact_lock` does), and more than one process on a folder (refused).
 */
import { Backend, BackendStopped } from "./backend.ts";
import { openFolder } from "./folder.ts";
import { FolderLocked, lockFolder } from "./lock.ts";
import { EmbeddedSocket } from "./socket.ts";
import { readTemplate } from "./template.ts";
import { Turns } from "./turns.ts";
import { startUpkeep } from "./upkeep.ts";

export { FolderLocked };

export interface Embedded {
  /** For postgres.js: `postgres({ socket: embedded.socket, max: 4 })`. One Duplex a connection; throws once closed. */
  socket: () => EmbeddedSocket;
  /** Ends all connections, with their transactions undone; writes a checkpoint and gives the folder back. */
  close(): Promise<void>;
  /** The data folder as a tarball, for tests that start from a migrated copy. */
  dump(): Promise<Blob>;
}

export interface EmbeddedOptions {
  /** Its lock stands beside it as `<folder>.lock`. Null keeps everything in memory, for tests. */
  folder: string | null;
  /** What `dump` gave; only for a folder without a database. */
  load?: Blob;
  /**
   * So long a statement waits for another connection's idle transaction before it fails with SQLSTATE 55P03. The default,
   * 25 s, is less than the driver's `connect_timeout`, whose error would not say why. A transaction that others still
   * wait for after twice that time, and that did nothing all the while, is undone and its connection ended.
   */
  lock_wait_ms?: number;
}

/**
 * @throws {FolderLocked} where another process holds the folder
 * @throws {Error} naming the folder and the reason, where there is no starting in it
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
        // So that whoever loads it has next to nothing to recover.
        backend.select("checkpoint");
        return backend.dump();
      });
    },
  };
}

const openMemory = async (load?: Blob) => await Backend.open(null, load ?? await readTemplate());
