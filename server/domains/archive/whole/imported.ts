/** What an import says. */
import { z } from "zod";
import { Id } from "../../../input/shapes.ts";

const Secret = z.object({
  kind: z.enum(["connector", "trigger", "embedding_key"]).meta({ examples: ["connector"] }),
  name: z.string().describe("A connector's code, a trigger's name, or the name of a key").meta({ examples: ["fx"] }),
});
const Count = z.int().min(0);

export const Imported = z.object({
  created: z.record(z.string(), Count).describe("The number of rows, by the folder of the archive")
    .meta({ examples: [{ departments: 2, users: 3, dbs: 1, apps: 4, records: 100_000 }] }),
  secrets: z.array(Secret).describe("What must be set by hand, because an archive has no secrets"),
  webhooks: z.array(z.object({
    trigger_id: Id,
    name: z.string().meta({ examples: ["Shop order"] }),
    webhook_url: z.string().meta({ examples: ["https://atrium.example.com/hooks/…"] }),
  })).describe("The new secret addresses of webhook triggers, shown once"),
  users: z.array(z.string()).describe("Logins of the users that were created. They have no password yet")
    .meta({ examples: [["ada"]] }),
});
export type Imported = z.output<typeof Imported>;
