import { z } from "zod";
import { Refusal } from "../../../errors.ts";
import { readSchema } from "../../../store/store.ts";
import { readList, readObject } from "../procedures.ts";
import { tool, untrusted, type Use } from "../tool.ts";

/** Objects of each kind that are named. */
const NAMED = 50;

export const summary = tool({
  name: "summary",
  description: "The account: your role and scopes, apps, dbs with fields, flows, triggers, and what needs attention.",
  input: z.object({}),
  readOnly: true,
  destructive: false,
  async run(use) {
    const me = await readObject(use.ctx, "account.me", undefined);
    const { user, scopes, account } = me;
    const page = { per_page: NAMED };
    const apps = await named(use, "apps.list", page, ({ id, name, url_code }) => `${name} /a/${url_code ?? id} ${id}`);
    const dbs = await named(use, "dbs.list", page, ({ code, schema }) => `${code}: ${fieldsOf(schema)}`);
    const flows = await named(
      use,
      "flows.list",
      page,
      ({ id, code, active }) => `${id} ${code}${active ? "" : " (off)"}`,
    );
    const triggers = await named(
      use,
      "crons.list",
      page,
      ({ id, target_code, sentence }) => `${id} ${target_code}: ${sentence}`,
    );
    const problems = await named(
      use,
      "overview.problems",
      { per_page: 10 },
      ({ kind, id, name, message }) => `${kind} ${id} ${name}: ${message}`,
    );
    return untrusted({
      account: Object(account).name,
      user: Object(user).name,
      role: Object(user).role,
      scopes: scopes ?? "all of the role",
      apps,
      dbs,
      flows,
      triggers,
      problems,
    });
  },
});

async function named(
  { ctx }: Use,
  procedure: string,
  input: unknown,
  line: (item: Record<string, unknown>) => string,
): Promise<unknown> {
  try {
    const { items, total } = await readList(ctx, procedure, input);
    const lines = items.map((item) => line(item).slice(0, 500));
    return total !== undefined && total > lines.length ? [...lines, `and ${total - lines.length} more`] : lines;
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return error.message;
    throw error;
  }
}

/** `name string, age integer`; tables by name. */
function fieldsOf(schema: unknown): string {
  return [...readSchema(Object(schema)).values()].map(({ name, fields }) => {
    const list = [...fields].map(([field, { type }]) => `${field} ${type}`).join(", ");
    return name === "" ? list : `${name}(${list})`;
  }).join("; ");
}
