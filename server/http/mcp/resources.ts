/** Guides, types and JSON Schemas for agents, as resources and for the tool `read`. */
import { z } from "zod";
import { NewApp } from "../../domains/apps/schema.ts";
import { NewCron } from "../../domains/crons/schema.ts";
import { NewDb } from "../../domains/dbs/schema.ts";
import { NewFlow } from "../../domains/flows/schema.ts";
import { flowSchema } from "../files/json_schemas.ts";
import { schemaOf } from "../openapi/schemas.ts";

interface Document {
  title: string;
  type: string;
  read(): string | Promise<string>;
}

const ROOT = new URL("../../../", import.meta.url);
const file = (path: string, title: string, type = "text/markdown"): Document => ({
  title,
  type,
  read: () => Deno.readTextFile(new URL(path, ROOT)),
});
const schema = (title: string, make: () => unknown): Document => ({
  title,
  type: "application/json",
  read: () => JSON.stringify(make()),
});
const shape = (title: string, of: z.ZodType) => schema(title, () => schemaOf(of, "input"));

const DOCUMENTS: Readonly<Record<string, Document>> = {
  concepts: file("docs/concepts.md", "What there is, and how it fits together"),
  apps: file("docs/apps.md", "Apps: engines, fields, the platform module"),
  databases: file("docs/databases.md", "Databases: schemas, records, indexes"),
  "public-methods": file("docs/public-methods.md", "Records without a login"),
  flows: file("docs/flows.md", "Flows: steps, templates, runs"),
  "flow-examples": file("docs/flow-examples.md", "Examples of flows"),
  triggers: file("docs/triggers.md", "Triggers: schedules, webhooks, changes of records"),
  connectors: file("docs/connectors.md", "Connectors: other services"),
  limits: file("docs/limits.md", "Limits"),
  agents: file("docs/agents.md", "Agents: tools, confirmations, undo"),
  "platform-types": file("client/app/platform.d.ts", "Types of the module `platform`", "text/plain"),
  "app-schema": shape("JSON Schema of a new app", NewApp),
  "db-schema": shape("JSON Schema of a new database", NewDb),
  "flow-schema": schema("JSON Schema of a new flow and its program", () => ({
    flow: schemaOf(NewFlow.omit({ fields: true, program: true }), "input"),
    program: flowSchema(),
  })),
  "trigger-schema": shape("JSON Schema of a new trigger", NewCron),
};

const SCHEME = "atrium://docs/";

export const listResources = () =>
  Object.entries(DOCUMENTS).map(([name, { title, type }]) => ({ uri: SCHEME + name, name, title, mimeType: type }));

/** @returns undefined where there is none */
export async function readResource(uri: string): Promise<{ text: string; mimeType: string } | undefined> {
  const name = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : "";
  const text = await readDocument(name);
  return text === undefined ? undefined : { text, mimeType: DOCUMENTS[name]?.type ?? "text/plain" };
}

/** @param name such as `apps` @returns undefined where there is none */
export async function readDocument(name: string): Promise<string | undefined> {
  return Object.hasOwn(DOCUMENTS, name) ? await DOCUMENTS[name]?.read() : undefined;
}
