/** The lock that keeps a second process away from a data folder: two backends on one folder lose data silently. */

import { dirname } from "node:path";

/** Another process holds the folder. */
export class FolderLocked extends Error {
  constructor(readonly folder: string) {
    super(
      `The folder ${folder} is in use by another Atrium process: end that one, or give this one a folder of its own`,
    );
  }
}

/**
 * Locks `<folder>.lock`. The operating system gives the lock back when the process ends, however it ends; the file
 * stays, because removing it would let two processes lock two files of one name.
 *
 * @returns what gives the lock back
 * @throws {FolderLocked}
 */
export async function lockFolder(folder: string): Promise<() => void> {
  await Deno.mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const file = await Deno.open(`${folder}.lock`, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return () => file.close();
  file.close();
  throw new FolderLocked(folder);
}
