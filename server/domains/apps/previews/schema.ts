/** Shapes of previews: sources that are compiled and opened without being saved. */
import { z } from "zod";
import { Timestamp, Uuid } from "../../../input/shapes.ts";
import { App, AppChanges, NewApp } from "../schema.ts";
import { BuildSizes } from "../weight.ts";

const { app_engine, css_engine, name, db_code } = AppChanges.shape;

export const NewPreview = z.object({
  id: Uuid.nullable().optional()
    .describe("An app of the caller's. Its engines, name and `db_code` hold where none is sent, and its actions work")
    .meta({ examples: [null] }),
  source_code: NewApp.shape.source_code,
  app_engine,
  css_engine,
  name,
  db_code,
});
export type NewPreview = z.output<typeof NewPreview>;

export const Preview = z.object({
  url: z.string().describe("Root-relative. For a frame of a page of this site; only the caller's session opens it")
    .meta({ examples: ["/previews/TVd9dGhlIGtleSBvZiBhIHByZXZpZXcgaW4gYmFzZTY0/frame"] }),
  expires_at: Timestamp,
  warnings: z.array(z.string()).describe("As in the `config` of an app: `line:column message`"),
  sizes: BuildSizes,
  app_build_time: App.shape.app_build_time,
  css_build_time: App.shape.css_build_time,
});
export type Preview = z.output<typeof Preview>;
