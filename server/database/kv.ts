/** Opens Deno KV, which holds only runs in progress. PostgreSQL is the source of truth for everything else. */
import type { Config } from "../config.ts";

/** Opens `kv_url` if it is set, the host's own store on Deno Deploy, otherwise a file in `data_dir`. */
export async function openKv({ kv_url, data_dir, hosted }: Config): Promise<Deno.Kv> {
  if (kv_url) return await Deno.openKv(kv_url);
  if (hosted) return await Deno.openKv();
  await Deno.mkdir(data_dir, { recursive: true, mode: 0o700 });
  return await Deno.openKv(`${data_dir}/kv.sqlite3`);
}
