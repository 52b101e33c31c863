/** The console's pages by address. Each is a chunk of its own, loaded at the first visit. */
import type { Component } from "svelte";

/** A page gets the part of its address that `(…)` matches; the others get an empty text. */
export type Page = Component | Component<{ id: string }>;

export interface Entry {
  pattern: RegExp;
  load: () => Promise<Page>;
  /** Guests may read nothing of it. Pages without this say themselves who may read them. */
  not_for_guests?: true;
}

export const PAGES: readonly Entry[] = [
  { pattern: /^\/$/, load: async () => (await import("./pages/home/Home.svelte")).default },
  { pattern: /^\/apps$/, load: async () => (await import("./pages/apps/Apps.svelte")).default },
  { pattern: /^\/apps\/new$/, load: async () => (await import("./pages/apps/NewApp.svelte")).default },
  { pattern: /^\/apps\/([^/]+)$/, load: async () => (await import("./pages/app/AppPage.svelte")).default },
  { pattern: /^\/data$/, load: async () => (await import("./pages/data/Databases.svelte")).default },
  {
    pattern: /^\/data\/([^/]+)(?:\/[^/]+)?$/,
    load: async () => (await import("./pages/data/Database.svelte")).default,
  },
  {
    pattern: /^\/flows$/,
    load: async () => (await import("./pages/flows/Flows.svelte")).default,
    not_for_guests: true,
  },
  {
    pattern: /^\/flows\/(\d+)$/,
    load: async () => (await import("./pages/flows/FlowPage.svelte")).default,
    not_for_guests: true,
  },
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
  {
    pattern: /^\/connectors$/,
    load: async () => (await import("./pages/connectors/Connectors.svelte")).default,
    not_for_guests: true,
  },
  {
    pattern: /^\/connectors\/([^/]+)$/,
    load: async () => (await import("./pages/connectors/ConnectorPage.svelte")).default,
    not_for_guests: true,
  },
  { pattern: /^\/operations$/, load: async () => (await import("./pages/operations/Operations.svelte")).default },
  {
    pattern: /^\/runs$/,
    load: async () => (await import("./pages/runs/Runs.svelte")).default,
    not_for_guests: true,
  },
  {
    pattern: /^\/runs\/([^/]+)$/,
    load: async () => (await import("./pages/runs/RunPage.svelte")).default,
    not_for_guests: true,
  },
  {
    pattern: /^\/triggers$/,
    load: async () => (await import("./pages/triggers/Triggers.svelte")).default,
    not_for_guests: true,
  },
  {
    pattern: /^\/triggers\/([^/]+)$/,
    load: async () => (await import("./pages/triggers/TriggerPage.svelte")).default,
    not_for_guests: true,
  },
  { pattern: /^\/profile$/, load: async () => (await import("./pages/profile/Profile.svelte")).default },
  { pattern: /^\/account(?:\/([^/]+))?$/, load: async () => (await import("./pages/account/Account.svelte")).default },
];

/** Whether an address belongs to the console: it is then opened without a load. */
export const isConsole = (path: string): boolean => PAGES.some(({ pattern }) => pattern.test(path));
