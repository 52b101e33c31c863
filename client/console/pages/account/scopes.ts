/** The scopes of tokens by domain, with words for people. */
import type { api } from "../../api.ts";

type NewToken = Parameters<typeof api.tokens.create.mutate>[0]["token"];
export type Scope = NonNullable<NewToken["scopes"]>[number];
type Domain = Scope extends `${infer Name}:${string}` ? Name : never;

/** In groups, as they are shown. */
export const GROUPS: readonly { title: string; domains: Partial<Record<Domain, string>> }[] = [
  {
    title: "Building",
    domains: {
      apps: "Apps",
      dbs: "Databases",
      records: "Records",
      flows: "Flows",
      flow_processes: "Runs",
      connectors: "Connectors",
      crons: "Triggers",
      dashboards: "Boards",
      overview: "Problems",
    },
  },
  {
    title: "People",
    domains: {
      user_settings: "Users",
      invitations: "Invitations",
      departments: "Departments",
      teams: "Teams",
      groups: "Groups",
      mailboxes: "Mailboxes",
      access: "Who sees what",
    },
  },
  {
    title: "Account and sign-in",
    domains: {
      account: "Account",
      embedding: "Embedding",
      audit: "Audit log",
      archive: "Archive",
      operations: "Operations",
      tokens: "API tokens",
      agents: "Agents",
      sessions: "Sessions",
      passwords: "Passwords",
      passkeys: "Passkeys",
      identities: "Identities",
    },
  },
];

export const scopeOf = (domain: string, what: "read" | "write") => `${domain}:${what}` as Scope;

const NAMES = new Map(GROUPS.flatMap(({ domains }) => Object.entries(domains)));

/** `Apps, Records (write)` */
export function scopesText(scopes: readonly string[] | null): string {
  if (scopes === null) return "everything that its user may do";
  if (scopes.length === 0) return "nothing";
  const by = new Map<string, Set<string>>();
  for (const scope of scopes) {
    const [domain = "", what = ""] = scope.split(":");
    by.set(domain, (by.get(domain) ?? new Set()).add(what));
  }
  return [...by].map(([domain, whats]) => {
    const name = NAMES.get(domain) ?? domain;
    return whats.has("write") ? `${name} (${whats.has("read") ? "read, write" : "write"})` : `${name} (read)`;
  }).join(", ");
}
