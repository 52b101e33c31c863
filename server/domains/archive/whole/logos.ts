/** The uploaded logos of departments. Their addresses are hashes of their bytes, and so they are the same everywhere. */
import type { Sql } from "../../../database/pool.ts";
import { invalid } from "../../../errors.ts";
import { storeLogo } from "../../departments/logo.ts";

export const LOGOS = "logos";

/** Most departments with a logo. */
const MOST = 100_000;

interface Logo {
  name: string;
  body: Uint8Array;
}

export async function* readLogos(sql: Sql, account: number): AsyncGenerator<Logo> {
  const files = await sql<{ file: string }[]>`
    select distinct logo_file as file
    from departments
    where account_id = ${account}
      and logo_file is not null
    order by 1
    limit ${MOST}
  `;
  for (const { file } of files) {
    const [logo] = await sql<{ body: Uint8Array }[]>`select body from logos where file = ${file}`;
    if (logo) yield { name: `${LOGOS}/${file}`, body: logo.body };
  }
}

/** @throws {Refusal} 422 if the bytes are no logo, or those of another one */
export async function restoreLogo(sql: Sql, name: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  const stored = await storeLogo(sql, new File([body], name));
  if (`${LOGOS}/${stored}` !== name) throw invalid({ base: ["is not named after its content"] });
}
