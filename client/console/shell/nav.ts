/** The destinations of the side bar and the palette. */
import { type Role, session } from "../session.svelte.ts";
import type { IconName } from "../parts/icons.ts";
import type { Counts } from "./counts.svelte.ts";

export interface Destination {
  name: string;
  href: string;
  icon: IconName;
  /** Pressed after `g`. */
  key?: string;
  /** Its heading in the side bar; the first ones have none. */
  group?: "Organisation";
  /** Who sees it; everyone unless set. */
  roles?: readonly Role[];
  /** Only for admins of the account that owns the server. */
  of_server?: true;
  /** Counted beside its name. */
  count?: keyof Counts;
  /** Whether it may be a tab at the bottom of a phone; the first four are. */
  on_phone?: boolean;
}

/** In the order of the side bar. */
const ALL: readonly Destination[] = [
  { name: "Home", href: "/", icon: "house", key: "h", on_phone: true },
  { name: "Apps", href: "/apps", icon: "layout-grid", key: "a", count: "apps", on_phone: true },
  {
    name: "Data",
    href: "/data",
    icon: "database",
    key: "d",
    roles: ["user", "manager", "admin"],
    count: "dbs",
    on_phone: true,
  },
  {
    name: "Flows",
    href: "/flows",
    icon: "workflow",
    key: "f",
    roles: ["user", "manager", "admin"],
    count: "flows",
    on_phone: true,
  },
  { name: "Runs", href: "/runs", icon: "activity", key: "r", roles: ["user", "manager", "admin"] },
  {
    name: "Connectors",
    href: "/connectors",
    icon: "plug",
    key: "c",
    roles: ["user", "manager", "admin"],
    count: "connectors",
  },
  {
    name: "Triggers",
    href: "/triggers",
    icon: "calendar-clock",
    key: "t",
    roles: ["user", "manager", "admin"],
    count: "crons",
  },
  { name: "Modules", href: "/modules", icon: "boxes", key: "m", on_phone: true },
  {
    name: "People",
    href: "/people",
    icon: "users",
    key: "p",
    group: "Organisation",
    roles: ["manager", "admin"],
    count: "user_settings",
  },
  {
    name: "Departments",
    href: "/departments",
    icon: "building",
    key: "e",
    group: "Organisation",
    roles: ["admin", "manager"],
    count: "departments",
  },
  {
    name: "Account",
    href: "/account",
    icon: "settings",
    key: "s",
    group: "Organisation",
    roles: ["user", "manager", "admin"],
  },
  {
    name: "Operations",
    href: "/operations",
    icon: "gauge",
    key: "o",
    group: "Organisation",
    roles: ["admin"],
    of_server: true,
  },
  { name: "Docs", href: "/docs", icon: "book-open", group: "Organisation", on_phone: true },
];

/** Those that the viewer's role sees. */
export const destinations = (): readonly Destination[] => {
  const role = session.me?.user.role;
  return ALL.filter(({ roles, of_server }) =>
    (!roles || role && roles.includes(role)) && (!of_server || session.me?.operator)
  );
};
