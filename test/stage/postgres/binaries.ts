import { findProgram } from "../programs.ts";

/** A folder with `initdb` and `postgres`, and the major version of both. */
export interface Binaries {
  folder: string;
  version: number;
}

/** The oldest major version that Atrium's SQL is written for. */
const OLDEST = 14;

/** Debian, Red Hat, Homebrew: each keeps the server's programs out of PATH, in a folder a version. */
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
 * The newest PostgreSQL whose server programs this machine has, or undefined; never one older than 14. The variable
 * POSTGRES_BIN names the folder to take, and then no other will do.
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
