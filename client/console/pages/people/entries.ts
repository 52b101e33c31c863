/** Teams, groups and mailboxes: three lists of the same shape. */
import { api } from "../../api.ts";
import type { IconName } from "../../parts/icons.ts";

export type Kind = "team" | "group" | "mailbox";

export interface Entry {
  id: number;
  name: string;
  email?: string | null;
  /** Members of a team or a group. */
  user_count?: number;
  /** Those that have the mailbox. */
  departments?: { id: number; name: string }[];
  lock_version: number;
  updated_at: string;
}

interface Page {
  q?: string | undefined;
  /** Only this one. */
  id?: number;
  page: number;
  per_page: number;
}
interface Fields {
  name: string;
  email: string | null;
}

interface Its {
  many: string;
  icon: IconName;
  explains: string;
  list(page: Page): Promise<Entry[]>;
  create(fields: Fields): Promise<Entry>;
  update(entry: { id: number; lock_version: number }, fields: Fields): Promise<Entry>;
  delete(id: number): Promise<void>;
  /** The field of a user that has the ids of the kind; mailboxes belong to departments. */
  membership?: "team_ids" | "group_ids";
}

const sort = "name" as const;

export const KINDS: Record<Kind, Its> = {
  team: {
    many: "Teams",
    icon: "users",
    explains: "A team names people who work together. Apps know the teams of their user.",
    list: (page) => api.teams.list.query({ ...page, sort }),
    create: ({ name }) => api.teams.create.mutate({ team: { name } }),
    update: ({ id, lock_version }, { name }) => api.teams.update.mutate({ id, team: { name, lock_version } }),
    delete: (id) => api.teams.delete.mutate({ id }),
    membership: "team_ids",
  },
  group: {
    many: "Groups",
    icon: "users",
    explains: "A group names people with something in common. Apps know the groups of their user.",
    list: (page) => api.groups.list.query({ ...page, sort }),
    create: ({ name }) => api.groups.create.mutate({ group: { name } }),
    update: ({ id, lock_version }, { name }) => api.groups.update.mutate({ id, group: { name, lock_version } }),
    delete: (id) => api.groups.delete.mutate({ id }),
    membership: "group_ids",
  },
  mailbox: {
    many: "Mailboxes",
    icon: "mail",
    explains: "A mailbox is an address that departments share.",
    list: (page) => api.mailboxes.list.query({ ...page, sort }),
    create: (mailbox) => api.mailboxes.create.mutate({ mailbox }),
    update: ({ id, lock_version }, fields) => api.mailboxes.update.mutate({ id, mailbox: { ...fields, lock_version } }),
    delete: (id) => api.mailboxes.delete.mutate({ id }),
  },
};
