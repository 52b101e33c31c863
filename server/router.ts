/** The router: one line per domain. The domain's name is also the first part of its scopes. */
import { access } from "./domains/access/router.ts";
import { account } from "./domains/account/router.ts";
import { approvals } from "./domains/approvals/router.ts";
import { agents } from "./domains/agents/router.ts";
import { apps } from "./domains/apps/router.ts";
import { archive } from "./domains/archive/router.ts";
import { audit } from "./domains/audit/router.ts";
import { connectors } from "./domains/connectors/router.ts";
import { crons } from "./domains/crons/router.ts";
import { embedding } from "./domains/embedding/router.ts";
import { embeds } from "./domains/embeds/router.ts";
import { dashboards } from "./domains/dashboards/router.ts";
import { departments } from "./domains/departments/router.ts";
import { flow_processes } from "./domains/flow_processes/router.ts";
import { flows } from "./domains/flows/router.ts";
import { groups, mailboxes, teams } from "./domains/directory/router.ts";
import { dbs } from "./domains/dbs/router.ts";
import { operations } from "./domains/operations/router.ts";
import { overview } from "./domains/overview/router.ts";
import { invitations } from "./domains/invitations/router.ts";
import { passwords } from "./domains/passwords/router.ts";
import { identities } from "./domains/identities/router.ts";
import { passkeys } from "./domains/passkeys/router.ts";
import { records } from "./domains/records/router.ts";
import { sessions } from "./domains/sessions/router.ts";
import { tokens } from "./domains/tokens/router.ts";
import { user_settings } from "./domains/user_settings/router.ts";
import { router } from "./trpc.ts";

export const appRouter = router({
  account,
  overview,
  operations,
  access,
  departments,
  user_settings,
  teams,
  groups,
  mailboxes,
  tokens,
  sessions,
  passwords,
  invitations,
  passkeys,
  identities,
  apps,
  embeds,
  embedding,
  dashboards,
  dbs,
  records,
  connectors,
  flows,
  flow_processes,
  approvals,
  crons,
  agents,
  archive,
  audit,
});

export type AppRouter = typeof appRouter;
