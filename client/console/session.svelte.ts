/** Who is signed in. */
import { api } from "./api.ts";
import { viewedAs } from "./viewing.svelte.ts";

type Me = Awaited<ReturnType<typeof api.account.me.query>>;
export type Role = Me["user"]["role"];

let me = $state.raw<Me>();

export const session = {
  /** Undefined until `load` has answered. */
  get me() {
    return me;
  },
  async load() {
    me = await api.account.me.query();
  },
};

const ROLES: readonly Role[] = ["guest", "user", "manager", "admin"];

/** Whether the user has this role or a stronger one. */
export const hasRole = (least: Role): boolean => ROLES.indexOf(me?.user.role ?? "guest") >= ROLES.indexOf(least);

/** Whether the user may create and change apps. False while viewing as another person, because that view is read-only. */
export const mayEdit = () => hasRole("manager") && !viewedAs();

/** Whether the user may change people and the account. */
export const mayAdminister = () => hasRole("admin") && !viewedAs();

/** The department of a new thing: the first of a user's who would not see it without one; null for the others. */
export const ownDepartment = (): number | null =>
  me?.user.without_department === false ? me.departments[0]?.id ?? null : null;

/** Where a click on an app leads: guests may open apps, but not read their source. */
export const addressOf = ({ id, url_code }: { id: string; url_code: string | null }): string =>
  me?.user.role === "guest" ? `/a/${url_code ?? id}` : `/apps/${id}`;
