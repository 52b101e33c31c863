/**
 * What a program, an action or a trigger reaches. It acts later and for others, with the reach that its author has at
 * that time. The author is the user who wrote it last. `visibility.ts` says what a reach includes.
 */
import { type Grant, narrowed } from "./secrets/grant.ts";
import type { Role } from "./input/roles.ts";
import { commonReach, type Restriction } from "./visibility.ts";

/** `caller`: the user who starts a run limits it to what both may see. A run without a user has its author's reach. */
export const RUNS_AS = ["author", "caller"] as const;
export type RunsAs = (typeof RUNS_AS)[number];

/** A user of an account, without a request. */
export interface KnownUser extends Restriction {
  role: Role;
  account_id: number;
  user_id: number;
  active: boolean;
}

/** Users in memory. A change holds at once in this process, and in others when they are notified of it. */
export interface Users {
  find(account_id: number, user_id: number): Promise<KnownUser | undefined>;
}

/** The sentence says what to do. It names no user, because visitors may read it. */
export class NoReach extends Error {
  override name = "NoReach";
}

/** @param thing what the author wrote, such as "program". @throws {NoReach} if the author may not write it any more */
export async function reachOfAuthor(
  users: Users,
  account_id: number,
  author_id: number | null,
  thing: string,
): Promise<Restriction> {
  const author = author_id === null ? undefined : await users.find(account_id, author_id);
  const fault = faultOfAuthor(author);
  if (fault === undefined && author) return author;
  throw new NoReach(`The author of this ${thing} ${fault}: a manager must save it again`);
}

/** Whether the author may still write what acts with its reach. */
export const hasReach = async (users: Users, account_id: number, author_id: number | null): Promise<boolean> =>
  faultOfAuthor(author_id === null ? undefined : await users.find(account_id, author_id)) === undefined;

function faultOfAuthor(author: KnownUser | undefined): string | undefined {
  if (!author) return "is gone";
  if (!author.active) return "is inactive";
  return author.role === "manager" || author.role === "admin" ? undefined : "is no longer a manager";
}

/** @throws {NoReach} */
export async function reachOfRun(
  users: Users,
  { account_id, user_id, grant }: { account_id: number; user_id: number | null; grant?: Grant | undefined },
  { author_id, runs_as }: { author_id: number | null; runs_as: RunsAs },
): Promise<Restriction> {
  const reach = await reachOfAuthor(users, account_id, author_id, "program");
  if (runs_as === "author" || user_id === null) return reach;
  const user = await users.find(account_id, user_id);
  const caller = user && grant ? narrowed(user, grant) : user;
  if (!caller?.active) {
    throw new NoReach("The user who started this run is gone or inactive, and it runs as its caller");
  }
  if (caller.role === "guest") throw new NoReach("This flow runs as its caller, and a guest reaches no data");
  return commonReach(reach, caller);
}
