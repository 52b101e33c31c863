/** Who is asked by a run, in words. */
import type { Client } from "../../../mod.ts";

export type Asked = Awaited<ReturnType<Client["approvals"]["asked"]["query"]>>[number];

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `Managers, Ada, members of Sales` */
export function audienceOf({ roles, users, departments, link }: Omit<Asked, "id" | "question">): string {
  const parts = [
    ...roles.map((role) => `${capital(role)}s`),
    ...users.map(({ name, active }) => (active ? name : `${name} (inactive)`)),
    ...departments.map(({ name }) => `members of ${name}`),
    ...link ? ["everyone with the link"] : [],
  ];
  return capital(parts.join(", "));
}
