/** What is moved, in the order in which it is written: a table names only what stands before it. */
import type { MovedTable } from "../moved.ts";
import { appDrafts, appOpenings, apps, appVersions, dashboards } from "./apps.ts";
import { connectorCalls, connectors } from "./connectors.ts";
import { dbs, views } from "./dbs.ts";
import { departments, groups, mailboxes, teams } from "./directory.ts";
import { examples, flowDrafts, flows, flowVersions } from "./flows.ts";
import { outcomes, runs } from "./runs.ts";
import { triggerRuns, triggers } from "./triggers.ts";
import { users } from "./users.ts";

/** Read as a whole before anything is written: the apps are compiled meanwhile. */
export const DEFINITIONS: readonly MovedTable[] = [
  departments,
  teams,
  groups,
  mailboxes,
  users,
  connectors,
  dbs,
  flows,
  apps,
  triggers,
];

/** Written as it arrives. */
export const HISTORY: readonly MovedTable[] = [
  dashboards,
  views,
  appVersions,
  flowVersions,
  examples,
  appDrafts,
  flowDrafts,
  appOpenings,
  connectorCalls,
  runs,
  outcomes,
  triggerRuns,
];
