/** Who is signed in. */
import { api } from "./api.ts";

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

/** Whether the user may create and change apps. */
export const mayEdit = () => me?.user.role === "admin" || me?.user.role === "manager";

/** Where a click on an app leads: guests may open apps, but not read their source. */
export const addressOf = ({ id, url_code }: { id: string; url_code: string | null }): string =>
  me?.user.role === "guest" ? `/a/${url_code ?? id}` : `/apps/${id}`;
