/** What is running: versions and licences. */
import type { Context } from "../../context.ts";
import { type About, Package } from "./schema.ts";
import packages from "./software.json" with { type: "json" };

const PACKAGES = Package.array().parse(packages);

const PGLITE = "@electric-sql/pglite";

export async function readAbout({ sql, config, release }: Context): Promise<About> {
  const [server] = await sql<{ server_version: string }[]>`show server_version`;
  const database = { name: "PostgreSQL", version: server?.server_version ?? "unknown", licence: "PostgreSQL" };
  const embedded = config.database_url === undefined ? PACKAGES.filter(({ name }) => name === PGLITE) : [];
  return {
    name: "Atrium",
    version: release.version,
    licence: "MIT",
    release: await release.id(),
    runtime: [
      { name: "Deno", version: Deno.version.deno, licence: "MIT" },
      database,
      ...embedded.map(({ version, licence }) => ({ name: "PGlite", version, licence })),
    ],
    packages: PACKAGES,
  };
}
