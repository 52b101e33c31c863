/** Shapes of embedded apps, in requests and answers. */
import { z } from "zod";
import { page, Uuid } from "../../input/shapes.ts";
import { App, ShowInModule } from "../apps/schema.ts";

/** An app as a module or page shows it. */
export const Embed = z.object({
  id: Uuid,
  title: z.string().describe("The app's name").meta({ examples: ["Counter"] }),
  url: z.string().meta({ examples: ["https://atrium.example.com/a/0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55"] }),
  position: App.shape.position,
  width: App.shape.embed_width,
  height: App.shape.embed_height,
});
export type Embed = z.output<typeof Embed>;

export const EmbedPage = page(["position"]).extend({
  target: ShowInModule.refine((target) => target !== null, "can't be blank")
    .describe("A module, or the path of a page, as in an app's `show_in_module`").meta({
      examples: ["contacts/index"],
    }),
});
export type EmbedPage = z.output<typeof EmbedPage>;
