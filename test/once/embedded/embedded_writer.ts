/** Writes rows into a folder's embedded database until it is killed. Prints the number of each row that was committed. */
import postgres from "postgres";
import { openEmbedded } from "../../../db/embedded/embedded.ts";

const [folder = "", first = "0"] = Deno.args;
const embedded = await openEmbedded({ folder });
const options = { socket: embedded.socket, max: 4, onnotice: () => {} };
const sql = postgres(options);
await sql`create table if not exists acknowledged (n int primary key, text text)`;
await sql`create table if not exists pairs (n int, half int)`;
let last = Number(first);
const tell = (n: number) => Deno.stdout.writeSync(new TextEncoder().encode(`${n}\n`));
await Promise.all(Array.from({ length: 4 }, async (_, i) => {
  for (;;) {
    const n = ++last;
    await sql.begin(async (sql) => {
      await sql`insert into pairs values (${n}, 1)`;
      await sql`insert into acknowledged values (${n}, ${String(i).repeat(500)})`;
      await sql`insert into pairs values (${n}, 2)`;
    });
    tell(n);
  }
}));
