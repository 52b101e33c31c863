/** Checks the types of the typed client. These tests fail in `deno task check`, never at run time. */
import type { Client, ClientError } from "../../client/mod.ts";

type Output<P extends { query: (...args: never[]) => unknown } | { mutate: (...args: never[]) => unknown }> = Awaited<
  ReturnType<
    P extends { query: infer F extends (...args: never[]) => unknown } ? F
      : P extends { mutate: infer F extends (...args: never[]) => unknown } ? F
      : never
  >
>;
type Input<F extends (...args: never[]) => unknown> = NonNullable<Parameters<F>[0]>;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
type Refused<A, B> = A extends B ? false : true;

/** Each place must be `true`. */
const holds = <_Proofs extends readonly true[]>() => {};

type Department = Output<Client["departments"]["find"]>;
type NewDepartment = Input<Client["departments"]["create"]["mutate"]>["department"];
type DepartmentChanges = Input<Client["departments"]["update"]["mutate"]>["department"];
type App = Output<Client["apps"]["create"]>;
type NewApp = Input<Client["apps"]["create"]["mutate"]>["app"];

Deno.test("types: the client's outputs are typed field by field", () => {
  holds<[
    Same<Department["id"], number>,
    Same<Department["name"], string>,
    Same<Department["logo_url"], string | null>,
    Same<Department["user_setting_ids"], number[]>,
    Same<Output<Client["departments"]["list"]>, Department[]>,
    Same<Output<Client["departments"]["delete"]>, void>,
    Same<App["app_engine"], "svelte" | "vue" | "react" | "js" | "html" | "kaboom" | "phaser">,
    Same<App["actions"][number]["flow_code"], string>,
    Refused<"source_code", keyof Output<Client["apps"]["list"]>[number]>,
    Refused<"token", keyof Output<Client["tokens"]["list"]>[number]>,
    Same<Output<Client["tokens"]["create"]>["token"], string>,
    Same<Output<Client["account"]["find"]>["departments"]["mode"], "open" | "restricted">,
  ]>();
});

Deno.test("types: the client's inputs are typed, and wrong ones are refused", () => {
  holds<[
    Same<NewDepartment["name"], string>,
    Same<NewDepartment["logo"], File | undefined>,
    Same<NewDepartment["phone"], string | null | undefined>,
    Same<DepartmentChanges["name"], string | undefined>,
    Refused<{ phone: string }, NewDepartment>,
    Refused<{ name: number }, NewDepartment>,
    Refused<{ name: string; logo: string }, NewDepartment>,
    Refused<{ name: string; user_setting_ids: string[] }, NewDepartment>,
    Same<NewApp["app_engine"], App["app_engine"] | undefined>,
    Refused<{ name: string; source_code: string; app_engine: "cobol" }, NewApp>,
    Refused<"id", keyof Input<Client["departments"]["list"]["query"]>>,
    Refused<"mutate", keyof Client["departments"]["find"]>,
    Refused<"query", keyof Client["departments"]["create"]>,
    Refused<"archive", keyof Client["departments"]>,
  ]>();
});

Deno.test("types: a refusal's status and body are known", () => {
  type Data = NonNullable<ClientError["data"]>;
  holds<[
    Data["httpStatus"] extends number ? true : false,
    Same<Data["body"], Record<string, unknown>>,
  ]>();
});
