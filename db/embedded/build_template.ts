/**
 * `deno task build:database`: writes the template, the database with which a data folder begins. Two runs write different
 * bytes. `db/migrations` may be newer than the template, but the migrations that are in it must not change any more.
 */
import postgres from "postgres";
import { brotliCompressSync, constants } from "node:zlib";
import { migrate } from "../migrate.ts";
import { openEmbedded } from "./embedded.ts";
import { Backend } from "./backend.ts";
import { FORGET_UNUSED, makeDatabase, TEMPLATE, UNUSED_FOLDERS } from "./template.ts";

/** PostgreSQL makes these files anew when it needs them. */
const DISPENSABLE = /_(fsm|vm)$/;

const parent = await Deno.makeTempDir({ prefix: "atrium_template_" });
const folder = `${parent}/database`;

const embedded = await openEmbedded({ folder, load: await makeDatabase() });
// The driver's types lack its `socket` option.
const options = { socket: embedded.socket, max: 1, onnotice: () => {} };
const sql = postgres(options);
await sql.unsafe(FORGET_UNUSED).simple();
await migrate(sql);
await sql.unsafe("vacuum freeze").simple();
await sql.end();
await embedded.close();

for (const name of UNUSED_FOLDERS) await Deno.remove(`${folder}/${name}`, { recursive: true });
for (const { name } of Deno.readDirSync(`${folder}/base/5`)) {
  if (DISPENSABLE.test(name)) await Deno.remove(`${folder}/base/5/${name}`);
}
const backend = await Backend.open(folder);
// The log begins with a new file: old entries would be a third of the template. The first round may reuse an old file.
backend.select("set wal_recycle = off");
for (const statement of Array(2).fill(["select pg_switch_wal()", "checkpoint"]).flat()) backend.select(statement);
const tarball = await backend.dump();
await backend.close();
await Deno.remove(parent, { recursive: true });

const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
const template = brotliCompressSync(tarball, {
  params: { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 20, [BROTLI_PARAM_SIZE_HINT]: tarball.length },
});
await Deno.writeFile(TEMPLATE, template);
const size = (bytes: number) => `${(bytes / 1_000_000).toFixed(2)} MB`;
Deno.stderr.writeSync(
  new TextEncoder().encode(`the template: ${size(template.length)}, unpacked ${size(tarball.length)}\n`),
);
Deno.exit(0);
