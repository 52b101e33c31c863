/** Bodies of the public methods. Source: spec, "Payloads". */
import { z } from "zod";
import { Uuid } from "../../input/shapes.ts";
import { RecordPage } from "./schema.ts";

export const PublicPage = RecordPage.pick({ page: true, per_page: true, sort: true, filter: true });
export type PublicPage = z.output<typeof PublicPage>;

const Data = z.record(z.string(), z.unknown()).meta({ examples: [{ message: "Hello" }] });

export const PUBLIC_BODIES = {
  create: z.object({ data: Data }),
  update: z.object({ id: Uuid, data: Data }),
  delete: z.object({ id: Uuid }),
} as const;
export type PublicBody<Name extends keyof typeof PUBLIC_BODIES> = z.output<(typeof PUBLIC_BODIES)[Name]>;
