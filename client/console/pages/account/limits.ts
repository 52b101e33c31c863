/** The server's default limits a minute, and words for them. docs/limits.md explains them. */
export const DEFAULTS = {
  requests: 6_000,
  writes: 3_000,
  compiles: 60,
  actions: 600,
  account_requests: 120_000,
  account_writes: 60_000,
  account_compiles: 300,
  account_actions: 12_000,
};
export type Limit = keyof typeof DEFAULTS;

export const KINDS = [
  ["requests", "Requests", "Everything that is asked of the server"],
  ["writes", "Writes", "Calls that change something; a batch is one"],
  ["compiles", "Compilations", "Saving and previewing apps"],
  ["actions", "Actions", "Actions of apps, runs by hand, retries"],
] as const;
