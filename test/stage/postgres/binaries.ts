import { findProgram } from "../programs.ts";

/** A folder with `initdb` and `postgres`, and the major version of both. */
export interface Binaries {
  folder: string;
  version: number;
}

/** The oldest major version that Atrium supports. */
const OLDEST = 14;

/** Debian, Red Hat and Homebrew keep the server's programs outside of PATH, in one folder for each version. */
const HOMES = [
  ["/usr/lib/postgresql", "bin"],
  ["/usr/local/opt", "bin"],
  ["/opt/homebrew/opt", "bin"],
  ["/usr", "bin"],
] as const;

function* versionFolders(): Generator<string> {
  for (const [home, bin] of HOMES) {
    try {
      for (const { name } of Deno.readDirSync(home)) {
        if (/^(\d+|pgsql-\d+|postgresql@\d+)$/.test(name)) yield `${home}/${name}/${bin}`;
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

async function say(program: string, ...args: string[]): Promise<string> {
  const { success, stdout } = await new Deno.Command(program, { args, stderr: "null" }).output();
  return success ? new TextDecoder().decode(stdout).trim() : "";
}

async function anywhere(): Promise<string[]> {
  const config = findProgram("pg_config");
  const onPath = findProgram("initdb")?.replace(/\/initdb$/, "");
  return [...versionFolders(), config ? await say(config, "--bindir") : "", onPath ?? ""].filter(Boolean);
}

/**
 * The newest installed PostgreSQL with server programs, or undefined if there is none of version 14 or newer. If the
 * variable POSTGRES_BIN is set, only that folder is used.
 */
export async function findPostgres(): Promise<Binaries | undefined> {
  const named = Deno.env.get("POSTGRES_BIN");
  const folders = named ? [named] : await anywhere();
  const complete = [...new Set(folders)].filter((folder) =>
    findProgram(`${folder}/initdb`) && findProgram(`${folder}/postgres`)
  );
  const found = await Promise.all(complete.map(async (folder): Promise<Binaries> => {
    const version = /\(PostgreSQL\) (\d+)/.exec(await say(`${folder}/postgres`, "--version"))?.[1];
    return { folder, version: Number(version ?? 0) };
  }));
  return found.filter(({ version }) => version >= OLDEST).sort((a, b) => b.version - a.version)[0];
}
