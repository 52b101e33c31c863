/** The shape of a tool, and what tools share. */
import { z } from "zod";
import { Refusal } from "../../errors.ts";
import type { Session } from "../../domains/agents/sessions.ts";
import type { HttpContext } from "../http_context.ts";

/** What a tool may use. */
export interface Use {
  /** Its `call` names the agent. */
  ctx: HttpContext;
  session: Session;
}

/** The answer to a call. */
export interface ToolAnswer {
  value: unknown;
  /** Whether it contains what others have written: it is marked as data. */
  untrusted: boolean;
}

export interface Tool {
  name: string;
  description: string;
  input: z.ZodObject;
  /** It changes nothing. */
  readOnly: boolean;
  /** It may remove something or act outside the account. */
  destructive: boolean;
  /** It may reach other services. */
  openWorld?: boolean;
  /** @param args what `input` has parsed @throws {Refusal} */
  run(use: Use, args: Record<string, unknown>): Promise<ToolAnswer>;
}

/** Declares a tool whose `run` gets arguments of its input's type. */
export const tool = <Input extends z.ZodObject>(
  declared: Omit<Tool, "input" | "run"> & {
    input: Input;
    run(use: Use, args: z.output<Input>): Promise<ToolAnswer>;
  },
): Tool => ({ ...declared, run: (use, args) => declared.run(use, declared.input.parse(args)) });

export const trusted = (value: unknown): ToolAnswer => ({ value, untrusted: false });
export const untrusted = (value: unknown): ToolAnswer => ({ value, untrusted: true });

/** How procedures name and address each kind of object. */
export const KINDS = {
  app: { domain: "apps", key: "id", wrapper: "app", object: "app" },
  db: { domain: "dbs", key: "db_code", wrapper: "db", object: "db" },
  flow: { domain: "flows", key: "id", wrapper: "flow", object: "flow" },
  trigger: { domain: "crons", key: "id", wrapper: "cron", object: "cron" },
} as const;
export type Kind = keyof typeof KINDS;

export const kindNames = ["app", "db", "flow", "trigger", "record"] as const;
export const ObjectKind = z.enum(kindNames);
/** The code of a database, the number of a flow or trigger, the UUID of the others. */
export const AnyId = z.union([z.string(), z.int()]);
export const JsonMap = z.record(z.string(), z.unknown());

/** Models send numbers as texts, too: `"12"` becomes 12. `"007"` stays a text, which the procedure refuses. */
export const keyOf = (kind: Kind, id: string | number): Record<string, unknown> => ({
  [KINDS[kind].key]: (kind === "flow" || kind === "trigger") && /^[1-9]\d{0,9}$/.test(String(id)) ? Number(id) : id,
});

/** @throws {Refusal} 422 */
export function needed<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Refusal(422, `${name} is needed`, { fields: { [name]: ["can't be blank"] } });
  return value;
}
