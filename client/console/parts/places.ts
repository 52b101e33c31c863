/** The places at which apps stand: the modules of the specification, and pages of other programs. */
import type { IconName } from "./icons.ts";

export interface Module {
  code: string;
  name: string;
  icon: IconName;
}

/** In the order of the specification. */
export const MODULES: readonly Module[] = [
  { code: "organize", name: "Organize", icon: "list-checks" },
  { code: "mail", name: "Mail", icon: "mail" },
  { code: "crm", name: "CRM", icon: "contact" },
  { code: "kb", name: "Knowledge base", icon: "book-open" },
  { code: "cms", name: "CMS", icon: "layout-panel-top" },
  { code: "connect", name: "Connect", icon: "plug" },
  { code: "voip", name: "VoIP", icon: "phone" },
  { code: "form", name: "Form", icon: "text-align-start" },
  { code: "insight", name: "Insight", icon: "chart-line" },
  { code: "billing", name: "Billing", icon: "receipt" },
  { code: "drive", name: "Drive", icon: "hard-drive" },
  { code: "fiskator", name: "Fiskator", icon: "landmark" },
  { code: "commerce", name: "Commerce", icon: "store" },
  { code: "account", name: "Account", icon: "circle-user" },
];

export const moduleOf = (code: string): Module | undefined => MODULES.find((module) => module.code === code);

/** The module whose menu lists a page, by the first part of its path. */
const MODULE_OF_PAGE: Record<string, string> = {
  tasks: "organize",
  projects: "organize",
  events: "organize",
  messages: "mail",
  mailings: "mail",
  contacts: "crm",
  companies: "crm",
  deals: "crm",
  articles: "kb",
  pages: "cms",
  connectors: "connect",
  calls: "voip",
  forms: "form",
  reports: "insight",
  invoices: "billing",
  files: "drive",
  receipts: "fiskator",
  orders: "commerce",
  products: "commerce",
  users: "account",
};

/** Offered where a page is chosen; any other path of this form is possible, too. */
export const PAGES: readonly string[] = [
  "contacts/index",
  "contacts/show",
  "companies/index",
  "companies/show",
  "tasks/index",
  "tasks/show",
  "projects/show",
  "orders/index",
  "orders/show",
  "invoices/show",
];

export const PAGE_PATH = /^[a-z_]+(\/[a-z_]+)+$/;

/** Undefined for a page that belongs to none of the modules as far as its path says. */
export function moduleOfPage(path: string): string | undefined {
  const [first = ""] = path.split("/");
  return moduleOf(first)?.code ?? MODULE_OF_PAGE[first];
}

/** How a page is laid out, by the last part of its path. */
export type Layout = "list" | "record" | "form";

export function layoutOf(path: string): Layout {
  const last = path.split("/").at(-1) ?? "";
  if (/^(index|list|board|calendar)$/.test(last)) return "list";
  return /^(new|edit|form)$/.test(last) ? "form" : "record";
}

const words = (text: string) => text.replaceAll("_", " ");
const KINDS: Record<string, string> = { index: "list", show: "one of them", new: "a new one", edit: "editing" };

/** `contacts/show` is "Contacts, one of them". */
export function nameOfPage(path: string): string {
  const parts = path.split("/");
  const last = parts.at(-1) ?? "";
  const name = words(parts.slice(0, -1).join(", "));
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}, ${KINDS[last] ?? words(last)}`;
}

/** Where the apps of a module or page are shown. */
export function addressOfPlace(target: string): string {
  if (moduleOf(target)) return `/modules/${target}`;
  const module = moduleOfPage(target);
  return `/modules${module ? `/${module}` : ""}?page=${target}`;
}

/** An app as the order of a place sees it. */
export interface Neighbour {
  name: string;
  position: number;
}

const order = (one: Neighbour, other: Neighbour): number =>
  one.position - other.position || one.name.toLowerCase().localeCompare(other.name.toLowerCase());

/** By position and then by name, as every list of embedded apps. */
export const ordered = <One extends Neighbour>(apps: readonly One[]): One[] => apps.toSorted(order);

/**
 * A position that puts an app of this name at an index among the others. Where the others leave no room there, it is put
 * before them all that have the same position.
 */
export function positionAt(others: readonly Neighbour[], name: string, index: number): number {
  const sorted = ordered(others);
  const before = sorted[index - 1]?.position;
  const after = sorted[index]?.position;
  if (before === undefined) return after === undefined ? 0 : after - 1;
  if (after === undefined) return before + 1;
  const fits = [before, before + 1, after].find((position) =>
    sorted.filter((other) => order(other, { name, position }) < 0).length === index
  );
  return fits ?? after - 1;
}
