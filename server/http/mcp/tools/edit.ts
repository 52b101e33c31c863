import { z } from "zod";
import type { Written } from "../../../domains/apps/queries.ts";
import { replaced } from "../../../domains/apps/replace.ts";
import { Replacement } from "../../../domains/apps/schema.ts";
import { invalid, Refusal } from "../../../errors.ts";
import { fieldsOf } from "../../../input/messages.ts";
import { execute, keepOne, present, rehearse, writtenOf } from "../changes.ts";
import { lineDiff } from "../line_diff.ts";
import { tool, untrusted } from "../tool.ts";

const Edit = z.object({
  field: z.enum(["source_code", "fields", "prompt"]).default("source_code"),
  old: z.string(),
  new: z.string(),
  replace_all: z.boolean().optional(),
});

export const edit = tool({
  name: "edit",
  description: "Edit an app by replacements, in order, all or none. old occurs exactly once unless replace_all. " +
    "dry_run answers the diff and compile errors.",
  input: z.object({
    id: z.string(),
    edits: z.array(Edit).min(1).max(50),
    lock_version: z.int().optional(),
    dry_run: z.boolean().default(false),
  }),
  readOnly: false,
  destructive: false,
  async run(use, { id, edits, lock_version, dry_run }) {
    const app = await present(use, "app", id);
    const after = edits.reduce((app, edit, index) => edited(app, id, edit, index), app);
    const fields = [...new Set(edits.map(({ field }) => field))];
    const diff = fields.map((field) => lineDiff(textOf(app[field]), textOf(after[field]))).join("\n");
    const changed = Object.fromEntries(fields.map((field) => [field, after[field]]));
    const change = {
      procedure: "apps.update",
      // What was read is what is changed: another writer's change in between is a conflict.
      input: { id, app: { ...changed, lock_version: lock_version ?? app.lock_version } },
      keep: keepOne("app", app),
    };
    if (!dry_run) return untrusted({ edited: id, ...writtenOf(await execute(use, change)), diff });
    try {
      await rehearse(use, change);
    } catch (error) {
      if (!(error instanceof Refusal) || !error.fields) throw error;
      return untrusted({ dry_run: true, passes: false, errors: error.fields, diff });
    }
    return untrusted({ dry_run: true, passes: true, diff });
  },
});

type App = Record<string, unknown>;

/** By the code of `apps.replace`. @throws {Refusal} 422 keyed `edits.<index>.<field>` */
function edited(app: App, id: string, edit: z.output<typeof Edit>, index: number): App {
  const replacement = Replacement.safeParse({ ...edit, id });
  const { fields, ...text } = app;
  const prompt = textOf(text.prompt);
  const written = { ...app, fields: Object(fields), prompt } as unknown as Written;
  try {
    if (!replacement.success) throw invalid(fieldsOf(replacement.error.issues));
    return { ...app, ...replaced(written, replacement.data) };
  } catch (error) {
    if (!(error instanceof Refusal) || !error.fields) throw error;
    const keyed = Object.entries(error.fields).map(([key, messages]) => [`edits.${index}.${key}`, messages]);
    throw invalid(Object.fromEntries(keyed));
  }
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value, null, 2);
