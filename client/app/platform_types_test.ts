/** The types of `platform`. These tests fail at the type-check (`deno task check`), never at run time. */
/// <reference path="./platform.d.ts" />
import type {
  action,
  AppContext,
  AppUser,
  Database,
  db,
  JsonObject,
  PlatformError,
  StoredRecord,
  user,
} from "platform";
import type * as written from "./platform.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
type Takes<A, B> = B extends A ? true : false;
type Refused<A, B> = B extends A ? false : true;

/** Every type argument must be `true`. */
const holds = <_Proofs extends readonly true[]>() => {};

interface Todo {
  title: string;
  done: boolean;
  due_on: string | null;
}
type Todos = Database<Todo>;
type Input<Method extends keyof Todos> = NonNullable<Parameters<Todos[Method]>[0]>;

Deno.test("types: an action returns its type parameter, and takes objects only", () => {
  type Rate = typeof action<{ rate: number }>;
  type Options = NonNullable<Parameters<Rate>[2]>;
  holds<[
    Same<Awaited<ReturnType<Rate>>, { rate: number }>,
    Same<Awaited<ReturnType<typeof action>>, unknown>,
    Takes<JsonObject, { currency: string; at: Date }>,
    Takes<JsonObject, Todo>,
    Takes<JsonObject, Record<string, unknown>>,
    Refused<JsonObject, string>,
    Refused<JsonObject, string[]>,
    Refused<JsonObject, FormData>,
    Refused<JsonObject, Map<string, string>>,
    Takes<Options, { signal: AbortSignal; timeout: number }>,
    Refused<Options, { timeout: string }>,
  ]>();
});

Deno.test("types: a database's records are known field by field", () => {
  holds<[
    Same<ReturnType<typeof db<Todo>>, Todos>,
    Same<Awaited<ReturnType<Todos["list"]>>, StoredRecord<Todo>[]>,
    Same<StoredRecord<Todo>["title"], string>,
    Same<StoredRecord<Todo>["id"], string>,
    Same<StoredRecord["title"], unknown>,
    Same<StoredRecord["created_at"], string>,
    Same<Awaited<ReturnType<Todos["delete"]>>, { id: string }>,
    Takes<Input<"create">, { title: string }>,
    Refused<Input<"create">, { title: number }>,
    Takes<Parameters<Todos["update"]>, [string, { title: null; done: true }]>,
    Refused<Parameters<Todos["update"]>, [number, { done: true }]>,
    Refused<Parameters<Todos["update"]>, [string, { done: string }]>,
    Takes<Input<"list">, { page: 2; per_page: 10; sort: "-created_at"; filter: { done: false } }>,
    Takes<Input<"list">, { filter: { title: { contains: "x" }; id: { in: string[] }; due_on: null } }>,
    Refused<Input<"list">, { sort: "colour" }>,
    Refused<Input<"list">, { filter: { done: "yes" } }>,
    Takes<NonNullable<Parameters<Database["list"]>[0]>, { sort: "-anything"; filter: { anything: 1 } }>,
  ]>();
});

Deno.test("types: the page is known, and cannot be written", () => {
  type Platform = Window["platform"];
  holds<[
    Same<typeof user, AppUser | null>,
    Same<AppContext["user"], AppUser | null>,
    Same<Window["PlatformAppContext"], AppContext>,
    Same<typeof platform, Platform>,
    Same<
      keyof AppUser,
      | "login"
      | "email"
      | "name"
      | "role"
      | `${"team" | "group" | "department"}_${"ids" | "names"}`
    >,
    Same<AppUser["role"], "admin" | "manager" | "user" | "guest">,
    Same<AppUser["team_ids"], readonly number[]>,
    Same<PlatformError["fields"], Readonly<Record<string, readonly string[]>> | undefined>,
    Takes<Error, PlatformError>,
  ]>();
});

Deno.test("types: the declarations match the exports", () => {
  type Platform = Window["platform"];
  holds<[
    Same<keyof typeof written, keyof Platform>,
    Same<typeof written["action"], Platform["action"]>,
    Same<typeof written["db"], Platform["db"]>,
    Same<typeof written["context"], Platform["context"]>,
    Same<typeof written["user"], Platform["user"]>,
    Takes<PlatformError, InstanceType<typeof written["PlatformError"]>>,
    Same<keyof InstanceType<typeof written["PlatformError"]>, keyof PlatformError>,
  ]>();
});
