import { z } from "zod";
import { Id, Name } from "../../input/shapes.ts";

export const Mode = z.enum(["open", "restricted"])
  .describe("restricted: users see only objects of their own departments");

const AccountName = Name.meta({ examples: ["Example Ltd"] });

/** An account in answers. */
export const Account = z.object({
  id: Id,
  name: AccountName,
  host: z.string().nullable().describe(
    "Requests for public apps and public methods to this host belong to this account",
  )
    .meta({ examples: ["apps.example.com"] }),
  main_department_id: Id.nullable(),
  departments: z.object({ mode: Mode }),
});
export type Account = z.output<typeof Account>;

const Host = z.string().trim().toLowerCase().max(253)
  .regex(/^[a-z0-9.-]+(:\d{1,5})?$/)
  .meta({ examples: ["apps.example.com"] });

export const AccountChanges = z.object({
  name: AccountName,
  host: z.union([z.literal("").transform(() => null), Host]).nullable()
    .meta({ examples: ["apps.example.com"] }),
  main_department_id: Id,
  departments: z.object({ mode: Mode }),
}).partial();
export type AccountChanges = z.output<typeof AccountChanges>;
