import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import postgres from "postgres";
import { startPostgres } from "../stage/postgres/postgres.ts";
import { findPostgres } from "../stage/postgres/binaries.ts";
import { until } from "../stage/until.ts";

const ignore = await findPostgres() === undefined;

async function started() {
  const server = await startPostgres();
  if (!server) throw new Error("no PostgreSQL");
  return server;
}

async function withSql<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

async function folderOf(url: string): Promise<string> {
  const [row] = await withSql(url, (sql) => sql<{ folder: string }[]>`show data_directory`.values());
  return String(row?.[0]);
}

const isGone = (folder: string): Promise<boolean> =>
  Deno.stat(folder).then(() => false, (error) => error instanceof Deno.errors.NotFound);

Deno.test({
  name: "a throw-away PostgreSQL: stock durability, databases from a template, nothing left behind",
  ignore,
  async fn() {
    const server = await started();
    const folder = await folderOf(server.url());
    try {
      ok(server.version >= 14);
      const template = await server.createDatabase("pattern");
      await withSql(template, (sql) => sql`create table colours as select 'blue' as name`);
      const copy = await server.createDatabase("copy", "pattern");
      const [colour] = await withSql(copy, (sql) => sql`select name, current_setting('fsync') as fsync from colours`);
      deepStrictEqual({ ...colour }, { name: "blue", fsync: "on" });
    } finally {
      await server.stop();
    }
    await rejects(() => Deno.stat(folder), Deno.errors.NotFound);
    await rejects(() => withSql(server.url(), (sql) => sql`select 1`), /ECONNREFUSED|refused/);
  },
});

Deno.test({
  name: "a throw-away PostgreSQL ends with the process that started it, even one that was killed",
  ignore,
  async fn() {
    const program = `
      import { startPostgres } from ${JSON.stringify(import.meta.resolve("../stage/postgres/postgres.ts"))};
      const server = await startPostgres({ fsync: false });
      Deno.stdout.writeSync(new TextEncoder().encode(server.url() + "\\n"));
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    `;
    const file = await Deno.makeTempFile({ suffix: ".ts" });
    await Deno.writeTextFile(file, program);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "-A", "--config", new URL("../../deno.json", import.meta.url).pathname, file],
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value: url } = await reader.read();
    const folder = await folderOf(String(url).trim());
    child.kill("SIGKILL");
    await child.status;
    await reader.cancel();
    await Deno.remove(file);
    await until(() => isGone(folder), "the keeper, which outlives the process, has removed the folder");
  },
});
