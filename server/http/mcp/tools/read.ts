import { z } from "zod";
import { notFound } from "../../../errors.ts";
import { readDocument } from "../resources.ts";
import { readObject } from "../procedures.ts";
import { AnyId, keyOf, needed, tool, trusted, untrusted } from "../tool.ts";

export const read = tool({
  name: "read",
  description:
    "Read one object as a whole. id: a db's code, a flow's or trigger's number, else a UUID; a doc's name. " +
    "fields: only these keys.",
  input: z.object({
    kind: z.enum(["app", "db", "flow", "trigger", "record", "run", "doc"]),
    id: AnyId,
    db_code: z.string().optional(),
    fields: z.array(z.string()).optional(),
  }),
  readOnly: true,
  destructive: false,
  async run({ ctx }, { kind, id, db_code, fields }) {
    if (kind === "doc") {
      const text = await readDocument(String(id));
      if (text === undefined) throw notFound("Doc");
      return trusted(text);
    }
    const object = kind === "record"
      ? await readObject(ctx, "records.find", { db_code: needed(db_code, "db_code"), id })
      : kind === "run"
      ? await readObject(ctx, "flow_processes.find", { id })
      : await readObject(ctx, FIND[kind], keyOf(kind, id));
    return untrusted(fields ? Object.fromEntries(fields.map((key) => [key, object[key]])) : object);
  },
});

const FIND = { app: "apps.find", db: "dbs.find", flow: "flows.find", trigger: "crons.find" } as const;
