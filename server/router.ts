/**
 * The router: one line per domain, with the beginnings of its routes' paths. The domain's name is also the first part of
 * its scopes. A domain's modules are loaded by `loadDomain`; `test/trpc/domains_test.ts` compares the beginnings with the
 * routes.
 */
import type { AnyTRPCRouter } from "@trpc/server";
import { router } from "./trpc.ts";

const DOMAINS = {
  account: {
    at: ["/account.json", "/account/me.json", "/account/about.json", "/account/limits.json"],
    load: () => import("./domains/account/router.ts"),
  },
  overview: {
    at: ["/account/problems.json", "/account/activity.json", "/account/counts.json"],
    load: () => import("./domains/overview/router.ts"),
  },
  operations: { at: ["/account/operations.json"], load: () => import("./domains/operations/router.ts") },
  access: { at: ["/account/access"], load: () => import("./domains/access/router.ts") },
  departments: { at: ["/account/departments"], load: () => import("./domains/departments/router.ts") },
  user_settings: { at: ["/account/user_settings"], load: () => import("./domains/user_settings/router.ts") },
  teams: { at: ["/account/teams"], load: () => import("./domains/directory/router.ts") },
  groups: { at: ["/account/groups"], load: () => import("./domains/directory/router.ts") },
  mailboxes: { at: ["/account/mailboxes"], load: () => import("./domains/directory/router.ts") },
  tokens: { at: ["/account/tokens"], load: () => import("./domains/tokens/router.ts") },
  sessions: { at: ["/account/session"], load: () => import("./domains/sessions/router.ts") },
  passwords: { at: ["/account/password.json"], load: () => import("./domains/passwords/router.ts") },
  invitations: { at: ["/account/invitations"], load: () => import("./domains/invitations/router.ts") },
  passkeys: {
    at: ["/account/passkeys", "/account/session/passkey"],
    load: () => import("./domains/passkeys/router.ts"),
  },
  identities: { at: ["/account/identities"], load: () => import("./domains/identities/router.ts") },
  apps: { at: ["/platform/apps", "/platform/drafts.json"], load: () => import("./domains/apps/router.ts") },
  embeds: { at: ["/platform/embeds"], load: () => import("./domains/embeds/router.ts") },
  embedding: { at: ["/account/embedding"], load: () => import("./domains/embedding/router.ts") },
  dashboards: {
    at: ["/account/dashboard.json", "/account/default_dashboard.json"],
    load: () => import("./domains/dashboards/router.ts"),
  },
  dbs: { at: ["/platform/dbs"], load: () => import("./domains/dbs/router.ts") },
  records: { at: ["/platform/dbs/", "/platform/db/"], load: () => import("./domains/records/router.ts") },
  connectors: { at: ["/connect/connectors"], load: () => import("./domains/connectors/router.ts") },
  flows: { at: ["/connect/flows"], load: () => import("./domains/flows/router.ts") },
  flow_processes: { at: ["/connect/flow_process"], load: () => import("./domains/flow_processes/router.ts") },
  approvals: { at: ["/connect/approvals"], load: () => import("./domains/approvals/router.ts") },
  crons: { at: ["/account/cron"], load: () => import("./domains/crons/router.ts") },
  agents: { at: ["/account/agent"], load: () => import("./domains/agents/router.ts") },
  archive: { at: ["/account/archive.json"], load: () => import("./domains/archive/router.ts") },
  audit: { at: ["/account/audit.json"], load: () => import("./domains/audit/router.ts") },
} satisfies Record<string, { at: readonly string[]; load: () => Promise<Partial<Record<string, AnyTRPCRouter>>> }>;

export type DomainName = keyof typeof DOMAINS;
type ModuleOf<Name extends DomainName> = Awaited<ReturnType<(typeof DOMAINS)[Name]["load"]>>;
type Routers = { [Name in DomainName]: ModuleOf<Name> extends Record<Name, infer Router> ? Router : never };

export type AppRouter = ReturnType<typeof router<Routers>>;

export const DOMAIN_NAMES = Object.keys(DOMAINS) as DomainName[];

/** Each domain's router is the export of its module that has the domain's name. */
export async function loadDomain(name: DomainName): Promise<AnyTRPCRouter> {
  const module: Partial<Record<string, AnyTRPCRouter>> = await DOMAINS[name].load();
  const loaded = module[name];
  if (!loaded) throw new Error(`the module of the domain ${name} has no router ${name}`);
  return loaded;
}

/** All domains. */
export async function loadRouter(): Promise<AnyTRPCRouter> {
  return joined(new Map(await Promise.all(DOMAIN_NAMES.map(async (name) => [name, await loadDomain(name)] as const))));
}

/** One router of some domains. Its routes have the order of the list above, whatever was loaded first. */
export const joined = (routers: ReadonlyMap<DomainName, AnyTRPCRouter>): AnyTRPCRouter =>
  router(Object.fromEntries(DOMAIN_NAMES.flatMap((name) => {
    const loaded = routers.get(name);
    return loaded ? [[name, loaded]] : [];
  })));

/**
 * The domains that may have a route at a path.
 *
 * @param path as sent, such as `/account/teams.json` or `/trpc/teams.list,groups.list`
 */
export function domainsAt(path: string): readonly DomainName[] {
  if (path.includes("%")) return DOMAIN_NAMES;
  const calls = /^\/trpc\/(.+)/.exec(path)?.[1]?.split(",");
  return calls
    ? DOMAIN_NAMES.filter((name) => calls.some((call) => call.startsWith(`${name}.`)))
    : DOMAIN_NAMES.filter((name) => DOMAINS[name].at.some((beginning) => path.startsWith(beginning)));
}
