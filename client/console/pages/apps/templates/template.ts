/** What a new app starts as. */
import type { Client } from "../../../../mod.ts";

type NewApp = Parameters<Client["apps"]["create"]["mutate"]>[0]["app"];
type NewDb = Parameters<Client["dbs"]["create"]["mutate"]>[0]["db"];

export interface Template {
  /** Names the template's picture. Blank pages share one. */
  key: string;
  name: string;
  text: string;
  app_engine: NonNullable<NewApp["app_engine"]>;
  css_engine: NonNullable<NewApp["css_engine"]>;
  /** Everyone may open the app. */
  public?: boolean;
  /** Its app needs a database. */
  has_db?: boolean;
  load(): Promise<Start>;
}

/** What is loaded when a template is chosen. */
export interface Start {
  source_code: string;
  db?: StartDb;
}

/** The database that is made for the app. Its name is the app's. */
export interface StartDb {
  schema: NonNullable<NewDb["schema"]>;
  public_methods: NonNullable<NewDb["public_methods"]>;
  /** Writes of callers without a login in a minute. */
  public_write_limit?: number;
  /** The first records, in the order of their creation. @param today in the person's time zone */
  examples(today: Date): Record<string, unknown>[];
}

/** Members may call all methods, within what each of them sees; visitors none. */
export const FOR_MEMBERS = {
  public_methods: {
    list: { members_only: true },
    create: { members_only: true },
    update: { members_only: true },
    delete: { members_only: true },
  },
} satisfies Partial<StartDb>;

/** A date of a record: `YYYY-MM-DD`. @param days from `today` */
export function dayFrom(today: Date, days: number): string {
  const date = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join(
    "-",
  );
}
