/** Starts processes that tick on one database, and inserts many triggers for them. */
import type { Pool } from "../../server/database/pool.ts";
import type { Round } from "./ticking.ts";

export interface Ticker extends AsyncDisposable {
  /** @param time ISO 8601 */
  tick(time: string): Promise<Round>;
  kill(): void;
}

export async function startTicker(database_url: string, name: string): Promise<Ticker> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("./ticking.ts", import.meta.url).href, database_url, name],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const lines = linesOf(child.stdout);
  await lines.next();
  return {
    async tick(time) {
      await writer.write(new TextEncoder().encode(`${time}\n`));
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`${name} has ended`);
      return JSON.parse(value);
    },
    kill: () => child.kill("SIGKILL"),
    async [Symbol.asyncDispose]() {
      await writer.close().catch(() => {});
      await child.status;
      await lines.return(undefined);
    },
  };
}

async function* linesOf(output: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of output.pipeThrough(new TextDecoderStream())) {
    const parts = `${rest}${text}`.split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

/**
 * Inserts triggers that run every minute from `first` on.
 *
 * @param sizes the number of triggers of each account
 */
export async function addTriggers(sql: Pool, sizes: readonly number[], first: string): Promise<void> {
  await sql`
    create table starts (
      n bigint generated always as identity primary key,
      key text not null,
      run_id uuid not null,
      account_id integer not null,
      cron_id integer not null,
      process text not null
    )
  `;
  for (const size of sizes) {
    await sql`
      with
        account as (insert into accounts (name) values ('Load') returning id),
        flow as (
          insert into flows (account_id, code, name, name_folded, fields)
          select id, 'watch', 'Watch', 'watch', '{"program":[]}'
          from account
        )
      insert into crons
        (account_id, kind, target_code, schedule, timezone, sentence, active, overlap, catch_up, max_failures,
        next_run_at)
      select
        account.id, 'flow', 'watch', '* * * * *', (array['UTC', 'Europe/Warsaw', 'Asia/Kolkata'])[1 + n % 3], '', true,
        'allow', 3600, 10, ${first}
      from account
      cross join generate_series(1, ${size}::int) n
    `;
  }
  await sql`analyze crons`;
}
