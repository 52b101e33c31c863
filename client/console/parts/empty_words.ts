/** What an empty list says to a person who may see a part of the account only. */
import { joined } from "../format.ts";

interface Seer {
  user: { role: string; without_department: boolean };
  departments: readonly { name: string }[];
  account: { departments: { mode: string } };
}

/**
 * @param general what the list says where it is empty for everyone
 * @param many the word for its entries, such as `databases`
 */
export function emptyWords(general: string, many: string, me: Seer | undefined): string {
  if (me?.account.departments.mode !== "restricted" || me.user.role === "admin") return general;
  const seen = [
    ...me.departments.length > 0 ? [`what belongs to ${joined(me.departments.map(({ name }) => name))}`] : [],
    ...me.user.without_department ? ["what has no department"] : [],
  ];
  const sees = seen.length > 0 ? `You see ${seen.join(", and ")}.` : "You belong to no department.";
  return `No ${many} are visible to you. ${sees} An admin can change your departments.`;
}
