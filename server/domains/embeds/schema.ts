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

/** A module or page with apps. */
export const Target = z.object({
  target: z.string().meta({ examples: ["contacts/index"] }),
  apps: z.int().describe("The number of its apps that open for the caller").meta({ examples: [2] }),
});
export type Target = z.output<typeof Target>;

export const TargetPage = page(["target"]);
export type TargetPage = z.output<typeof TargetPage>;

const Jwt = z.string().max(8_192).describe("A JWT (HS256) that an embedding key has signed").meta({
  examples: ["eyJhbGciOiJIUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhZGEifQ.5f2b"],
});

/** What `/embed.js` asks for a page: the apps at a target, or one app. */
export const EmbedRequest = z.object({
  target: EmbedPage.shape.target.optional(),
  app: z.string().min(1).max(100).optional().describe("An app's id or `url_code`, instead of `target`"),
  viewer: Jwt.optional().describe("For a host's user: a JWT (HS256) that an embedding key has signed"),
})
  .refine(({ target, app }) => target !== undefined || app !== undefined, "target or app is missing")
  .refine(
    ({ target, app }) => target === undefined || app === undefined,
    "target and app exclude each other: send one",
  );
export type EmbedRequest = z.output<typeof EmbedRequest>;

export const Embeds = z.object({ apps: z.array(Embed) });

export const RenewalRequest = z.object({ app: Uuid, viewer: Jwt });
export type RenewalRequest = z.output<typeof RenewalRequest>;

export const RenewedToken = z.object({
  token: z.string().describe("A page token").meta({ examples: ["eyJhcHAiOiIwMTkzIn0.c2lnbmF0dXJl"] }),
  expires_in: z.int().describe("Seconds").meta({ examples: [300] }),
});
export type RenewedToken = z.output<typeof RenewedToken>;
