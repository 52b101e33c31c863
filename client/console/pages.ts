/** The console's pages by address. Each is a chunk of its own, loaded at the first visit. */
import type { Component } from "svelte";

/** A page gets the part of its address that `(…)` matches; the others get an empty text. */
type Page = Component | Component<{ id: string }>;

export const PAGES: readonly { pattern: RegExp; load: () => Promise<Page> }[] = [
  { pattern: /^\/$/, load: async () => (await import("./pages/home/Home.svelte")).default },
  { pattern: /^\/apps$/, load: async () => (await import("./pages/apps/Apps.svelte")).default },
  { pattern: /^\/apps\/new$/, load: async () => (await import("./pages/apps/NewApp.svelte")).default },
  { pattern: /^\/apps\/([^/]+)$/, load: async () => (await import("./pages/app/AppPage.svelte")).default },
  { pattern: /^\/data$/, load: async () => (await import("./pages/data/Databases.svelte")).default },
  {
    pattern: /^\/data\/([^/]+)(?:\/[^/]+)?$/,
    load: async () => (await import("./pages/data/Database.svelte")).default,
  },
  { pattern: /^\/flows$/, load: async () => (await import("./pages/flows/Flows.svelte")).default },
  { pattern: /^\/flows\/(\d+)$/, load: async () => (await import("./pages/flows/FlowPage.svelte")).default },
  { pattern: /^\/docs\/api$/, load: async () => (await import("./pages/docs/api/ApiReference.svelte")).default },
  { pattern: /^\/docs(?:\/([^/]+))?$/, load: async () => (await import("./pages/docs/Docs.svelte")).default },
  { pattern: /^\/people(?:\/(\d+))?$/, load: async () => (await import("./pages/people/People.svelte")).default },
  { pattern: /^\/modules$/, load: async () => (await import("./pages/modules/Modules.svelte")).default },
  { pattern: /^\/modules\/([^/]+)$/, load: async () => (await import("./pages/modules/Modules.svelte")).default },
  { pattern: /^\/departments$/, load: async () => (await import("./pages/departments/Departments.svelte")).default },
  {
    pattern: /^\/departments\/([^/]+)$/,
    load: async () => (await import("./pages/department/Department.svelte")).default,
  },
  { pattern: /^\/connectors$/, load: async () => (await import("./pages/connectors/Connectors.svelte")).default },
  {
    pattern: /^\/connectors\/([^/]+)$/,
    load: async () => (await import("./pages/connectors/ConnectorPage.svelte")).default,
  },
  { pattern: /^\/operations$/, load: async () => (await import("./pages/operations/Operations.svelte")).default },
  { pattern: /^\/runs$/, load: async () => (await import("./pages/runs/Runs.svelte")).default },
  { pattern: /^\/runs\/([^/]+)$/, load: async () => (await import("./pages/runs/RunPage.svelte")).default },
  { pattern: /^\/triggers$/, load: async () => (await import("./pages/triggers/Triggers.svelte")).default },
  { pattern: /^\/triggers\/([^/]+)$/, load: async () => (await import("./pages/triggers/TriggerPage.svelte")).default },
  { pattern: /^\/profile$/, load: async () => (await import("./pages/profile/Profile.svelte")).default },
  { pattern: /^\/account(?:\/([^/]+))?$/, load: async () => (await import("./pages/account/Account.svelte")).default },
];

/** Whether an address belongs to the console: it is then opened without a load. */
export const isConsole = (path: string): boolean => PAGES.some(({ pattern }) => pattern.test(path));
