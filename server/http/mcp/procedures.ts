/** The router's procedures by name, for tools: the caller's role, scopes and limits are proven as over REST. */
import type { AnyTRPCProcedure } from "@trpc/server";
import { Json } from "../../database/json.ts";
import { DOMAIN_NAMES, loadDomain } from "../../router.ts";
import type { HttpContext } from "../http_context.ts";
import { type Meta, refusalOf } from "../../trpc.ts";
import { type Runner, runnerOf } from "../rest/run_procedure.ts";

const runners = new WeakMap<AnyTRPCProcedure, Runner>();

/** @param name such as `apps.find` @throws {Refusal} */
export async function callProcedure(ctx: HttpContext, name: string, input: unknown): Promise<unknown> {
  const procedure = await findProcedure(name);
  const run = runners.get(procedure) ?? runnerOf(procedure, name);
  runners.set(procedure, run);
  try {
    return await run({ ctx, getRawInput: () => asSent(input) });
  } catch (error) {
    const meta: Meta = procedure._def.meta ?? {};
    throw refusalOf(error, meta);
  }
}

async function findProcedure(name: string): Promise<AnyTRPCProcedure> {
  const domain = DOMAIN_NAMES.find((domain) => name.startsWith(`${domain}.`));
  const procedures: Record<string, AnyTRPCProcedure> = domain ? (await loadDomain(domain))._def.procedures : {};
  const procedure = procedures[name.slice(name.indexOf(".") + 1)];
  if (!procedure) throw new Error(`there is no procedure ${name}`);
  return procedure;
}

/** As JSON carries it: without keys whose value is undefined. */
const asSent = (input: unknown): unknown => input === undefined ? undefined : JSON.parse(JSON.stringify(input));

/** An object's fields. @throws {Refusal} */
export async function readObject(ctx: HttpContext, name: string, input: unknown): Promise<Record<string, unknown>> {
  const answer = await callProcedure(ctx, name, input);
  return Object(answer instanceof Json ? answer.parse() : answer);
}

export interface Listed {
  items: Record<string, unknown>[];
  /** Undefined where the list is not counted. */
  total?: number;
}

/** A page of a list. @throws {Refusal} */
export async function readList(ctx: HttpContext, name: string, input: unknown): Promise<Listed> {
  const answer = await callProcedure(ctx, name, input);
  if (!(answer instanceof Json)) return { items: Array.isArray(answer) ? answer : [] };
  return { items: answer.parse(), total: answer.total };
}
