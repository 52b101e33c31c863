/** A disk that is soon full: a file system in memory, which only root may mount. */
import postgres from "postgres";

export interface SmallDisk extends AsyncDisposable {
  path: string;
  /** Moves a database onto it. */
  adopt(admin_url: string, database: string): Promise<void>;
  /** Writes until no byte is left. */
  fill(): Promise<void>;
  free(): Promise<void>;
}

const BLOCK = new Uint8Array(64 * 1024).fill(120);

const run = async (command: string, ...args: string[]): Promise<boolean> => {
  try {
    return (await new Deno.Command(command, { args, stdout: "null", stderr: "null" }).output()).success;
  } catch (error) {
    // The machine has no such program.
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
};

/** @returns undefined if this process may not mount it */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const path = await Deno.makeTempDir({ prefix: "atrium_disk_" });
  if (!await run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "none", path)) {
    await Deno.remove(path);
    return undefined;
  }
  const filler = `${path}/filler`;
  const spaces: { admin_url: string; database: string; space: string }[] = [];
  const withAdmin = async (admin_url: string, statements: readonly string[]) => {
    const sql = postgres(admin_url, { max: 1, onnotice: () => {} });
    for (const statement of statements) await sql.unsafe(statement);
    await sql.end();
  };
  return {
    path,
    async adopt(admin_url, database) {
      const folder = `${path}/${database}`;
      await Deno.mkdir(folder);
      // The user of the server.
      if (!await run("chown", "postgres", folder)) throw new Error("there is no user postgres");
      const space = `space_${database}`;
      await withAdmin(admin_url, [
        `create tablespace ${space} location '${folder}'`,
        `alter database ${database} set tablespace ${space}`,
      ]);
      spaces.push({ admin_url, database, space });
    },
    async fill() {
      using file = await Deno.open(filler, { create: true, append: true });
      for (let size = BLOCK.length; size > 0;) {
        try {
          await file.write(BLOCK.subarray(0, size));
        } catch {
          size = Math.floor(size / 2);
        }
      }
    },
    free: () => Deno.remove(filler),
    async [Symbol.asyncDispose]() {
      for (const { admin_url, database, space } of spaces) {
        await withAdmin(admin_url, [`drop database if exists ${database} with (force)`, `drop tablespace ${space}`]);
      }
      if (!await run("umount", path)) throw new Error(`${path} was not unmounted`);
      await Deno.remove(path);
    },
  };
}
