/** Shapes of drafts: what a user has typed into an app's source and not published. */
import { z } from "zod";
import { LockVersion, page, text, Timestamp, Uuid } from "../../../input/shapes.ts";
import { App } from "../schema.ts";

export const Revision = z.int().min(0).describe(
  "Grows with every write of the client, such as milliseconds since 1970. An older one is refused with 409",
).meta({ examples: [1_795_000_000_000] });

const BaseVersion = LockVersion.describe("The app's `lock_version` that the draft was made from");

export const NewDraft = z.object({
  source_code: text(200_000).describe("At most 200,000 characters; may be blank and need not compile")
    .meta({ examples: ["<p>Hello</p>"] }),
  app_engine: App.shape.app_engine.nullable().default(null).describe("Null: the app's"),
  css_engine: App.shape.css_engine.nullable().default(null).describe("Null: the app's"),
  base_lock_version: BaseVersion,
  revision: Revision,
});
export type NewDraft = z.output<typeof NewDraft>;

/** A draft without its source, which its writer has just sent. */
export const SavedDraft = z.object({
  app_id: Uuid,
  app_engine: App.shape.app_engine.nullable(),
  css_engine: App.shape.css_engine.nullable(),
  base_lock_version: BaseVersion,
  lock_version: LockVersion.describe("The app's; greater than `base_lock_version` if the app has been changed since"),
  revision: Revision,
  updated_at: Timestamp,
});
export type SavedDraft = z.output<typeof SavedDraft>;

export const Draft = SavedDraft.extend({ source_code: NewDraft.shape.source_code });
export type Draft = z.output<typeof Draft>;

export const ListedDraft = SavedDraft.extend({
  name: App.shape.name.describe("The app's"),
  app_engine: App.shape.app_engine.describe("The draft's; the app's where the draft has none"),
});
export type ListedDraft = z.output<typeof ListedDraft>;

export const DraftPage = page(["-updated_at", "updated_at"]);
export type DraftPage = z.output<typeof DraftPage>;

export const Discard = z.object({
  id: Uuid,
  revision: Revision.optional().describe("Refuses with 409 if the draft has a newer one. Without it any is discarded"),
});
