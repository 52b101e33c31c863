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

/**
 * Locks `<folder>.lock`. The operating system releases the lock when the process ends, for whatever reason. The file
 * stays: if it were removed, two processes could lock two different files of the same name.
 *
 * @returns releases the lock
 * @throws {FolderLocked}
 */
export async function lockFolder(folder: string): Promise<() => void> {
  await Deno.mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const file = await Deno.open(`${folder}.lock`, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return () => file.close();
  file.close();
  throw new FolderLocked(folder);
}
