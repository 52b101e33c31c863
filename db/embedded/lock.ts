/** Locks a data folder against a second process. Two backends on one folder lose data without an error. */

import { dirname } from "node:path";

/** Another process uses the folder. */
export class FolderLocked extends Error {
  constructor(readonly folder: string) {
    super(
      `The folder ${folder} is in use by another Atrium process: end that one, or give this one a folder of its own`,
    );
  }
}

/** This Deno cannot lock files, so two processes could use one folder. */
export class NoFileLocks extends Error {
  constructor() {
    super(
      `The embedded database needs a newer Deno than ${Deno.version.deno}, which cannot lock files: ` +
        "start with the Deno that README.md names, or set DATABASE_URL to a PostgreSQL database",
    );
  }
}

/**
 * Locks `<folder>.lock`. The operating system releases the lock when the process ends, for whatever reason. The file
 * stays: if it were removed, two processes could lock two different files of the same name.
 *
 * @returns releases the lock
 * @throws {FolderLocked}
 * @throws {NoFileLocks}
 */
export async function lockFolder(folder: string): Promise<() => void> {
  if (!("tryLock" in Deno.FsFile.prototype)) throw new NoFileLocks();
  await Deno.mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const file = await Deno.open(`${folder}.lock`, { create: true, write: true, mode: 0o600 });
  const unlock = () => {
    // Closing is not enough: a process that another thread is starting has a copy of the descriptor until it executes
    // its program, and the lock lasts as long as a copy.
    file.unlockSync();
    file.close();
  };
  if (await file.tryLock(true)) return unlock;
  file.close();
  throw new FolderLocked(folder);
}
