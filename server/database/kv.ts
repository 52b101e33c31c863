/** Deno KV: flow processes in flight, and nothing that PostgreSQL does not know better. */
import type { Config } from "../config.ts";

/** The host's own on Deno Deploy; else `kv_url`, else a file in `data_dir`. */
export async function openKv({ kv_url, data_dir, hosted }: Config): Promise<Deno.Kv> {
  if (kv_url) return await Deno.openKv(kv_url);
  if (hosted) return await Deno.openKv();
  await Deno.mkdir(data_dir, { recursive: true, mode: 0o700 });
  return await Deno.openKv(`${data_dir}/kv.sqlite3`);
}
