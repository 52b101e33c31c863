/** Words and shapes that the pages of people share. */
import { api, own_api } from "../../api.ts";
import { counted, joined } from "../../format.ts";
import { hasRole, type Role } from "../../session.svelte.ts";

export type Person = Awaited<ReturnType<typeof api.user_settings.list.query>>[number];

type Counted = Awaited<ReturnType<typeof api.access.counts.query>>[number];
/** Of one type. */
interface Count extends Pick<Counted, "visible" | "without_department" | "hidden_by"> {
  total: number;
}
export type Counts = ReadonlyMap<string, Count>;

/** How much a user, or a person to be invited, sees of what the signed-in user sees. */
export async function readCounts(query: Parameters<typeof own_api.access.counts.query>[0]): Promise<Counts> {
  const counts = await own_api.access.counts.query(query);
  return new Map(
    counts.map(({ type, visible, without_department, hidden_by }) => {
      const total = hidden_by.reduce((sum, { count }) => sum + count, visible);
      return [type, { visible, without_department, hidden_by, total }];
    }),
  );
}

export const ROLES: Record<Role, { name: string; may: string }> = {
  admin: { name: "Admin", may: "Sees and changes everything, people and settings included" },
  manager: { name: "Manager", may: "Builds apps, data and flows of their departments" },
  user: { name: "User", may: "Uses apps, writes records and runs flows of their departments" },
  guest: { name: "Guest", may: "Opens apps of their departments, and nothing else" },
};

/** Strongest first. */
const ORDER: readonly Role[] = ["admin", "manager", "user", "guest"];

/** Those that the viewer may pass on. */
export const rolesToGive = (): Role[] => ORDER.filter((role) => hasRole(role));

export const ROLE_OPTIONS = ORDER.map((value) => ({ value, name: ROLES[value].name }));

/** Of which things the console tells how many a person sees, with the word for one. */
export const THINGS = [["app", "app"], ["db", "database"], ["flow", "flow"], ["connector", "connector"], [
  "cron",
  "trigger",
]] as const;

/** `17 apps and 6 databases`; types without any are left out. */
export function countsText(counts: Counts, of: "visible" | "without_department"): string {
  const words = THINGS.map(([type, word]) => ({ count: counts.get(type)?.[of] ?? 0, word })).filter(({ count }) =>
    count > 0
  );
  return words.length > 0 ? joined(words.map(({ count, word }) => counted(count, word))) : "nothing yet";
}

/** `Samir` of `Samir Haddad`; logins and addresses as they are. */
export const firstName = (name: string): string => name.includes("@") ? name : name.split(" ")[0] || name;
