/** The address of PostgreSQL as hosts give it: with parameters for libpq and for poolers, which the driver would send. */

/** PostgreSQL refuses a connection with a parameter that it does not know. */
const NOT_SENT = [
  ...["channel_binding", "gssencmode", "krbsrvname", "passfile", "sslcert", "sslcompression", "sslcrl", "sslkey"],
  ...["sslpassword", "sslrootcert", "sslsni", "ssl_min_protocol_version", "ssl_max_protocol_version"],
  ...["keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count"],
  ...["connection_limit", "pgbouncer", "pool_timeout", "schema"],
];

/** @returns the address without them. `sslrootcert=system` stays in effect as `sslmode=verify-full` */
export function addressForDriver(database_url: string): string {
  const [address = "", query] = database_url.split("?");
  if (query === undefined) return database_url;
  const parameters = new URLSearchParams(query);
  if (parameters.get("sslrootcert") === "system") parameters.set("sslmode", "verify-full");
  if (parameters.get("target_session_attrs") === "any") parameters.delete("target_session_attrs");
  for (const name of NOT_SENT) parameters.delete(name);
  // Not as a form: the driver would read a `+` as it is.
  const kept = [...parameters].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return kept.length > 0 ? `${address}?${kept.join("&")}` : address;
}
