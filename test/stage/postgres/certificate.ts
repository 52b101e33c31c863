/** A certificate for the test run's PostgreSQL, which then offers TLS. */
import type { Sql } from "postgres";
import { until } from "../until.ts";

/** Of localhost, signed by itself, and used by nothing but these tests. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUO9r5bQQ6MR7ZYlHRUXOlW3PsxyUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzA5MTE0MloYDzIxMjYxMTAz
MDkxMTQyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASo/7oIaxIhxhrXlvIA370RE4EsqKZVk+nNhJBcle1yy0FNvzI2R/ih
UCRy8aG/75FSe1XQCZVnxVKkmprARrxdo1MwUTAdBgNVHQ4EFgQU55iHGLYobVQS
GQVqZPqOXWEpdwQwHwYDVR0jBBgwFoAU55iHGLYobVQSGQVqZPqOXWEpdwQwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAoQDZiBTwtBxsmqrx75UT
eCazRkDkli5Quuk9Vo2B5B4CIHpkBvn11TkWl3Q77ihnzltvlMf+vdoAmfwh6jfH
mwu7
-----END CERTIFICATE-----
`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8npFUMILYSwn6b8l
ou3XQsMDC/6mQIyCsbFTasuA/iihRANCAASo/7oIaxIhxhrXlvIA370RE4EsqKZV
k+nNhJBcle1yy0FNvzI2R/ihUCRy8aG/75FSe1XQCZVnxVKkmprARrxd
-----END PRIVATE KEY-----
`;

/** @param sql of a superuser. TLS is offered until the result is disposed of */
export async function writeCertificate(sql: Sql): Promise<AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_tls_" });
  const [row] = await sql`select current_setting('data_directory') as path`;
  const { uid } = await Deno.stat(row?.path);
  const paths = await Promise.all([CERTIFICATE, KEY].map(async (text, index) => {
    const path = `${folder}/${index}.pem`;
    await Deno.writeTextFile(path, text, { mode: 0o600 });
    return path;
  }));
  // PostgreSQL refuses a key that another user may read.
  if (uid !== null && uid !== Deno.uid()) { for (const path of [folder, ...paths]) await Deno.chown(path, uid, null); }
  const set = async (ssl: "on" | "off") => {
    await sql.unsafe(`alter system set ssl = ${ssl}`);
    await sql`select pg_reload_conf()`;
    await until(async () => (await sql`select current_setting('ssl') as ssl`)[0]?.ssl === ssl, `TLS is ${ssl}`);
  };
  await sql.unsafe(`alter system set ssl_cert_file = '${paths[0]}'`);
  await sql.unsafe(`alter system set ssl_key_file = '${paths[1]}'`);
  await set("on");
  return {
    async [Symbol.asyncDispose]() {
      await set("off");
      await Deno.remove(folder, { recursive: true });
    },
  };
}
