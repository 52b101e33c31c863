/** Names of what runs refer to by code or id. Read once for each visit of a page. */
import { api } from "../../api.ts";
import { allDatabases, everyPage } from "../../every_page.ts";
import { session } from "../../session.svelte.ts";
import { wordsOf } from "../triggers/triggers.ts";

type Page = Parameters<Parameters<typeof everyPage>[0]>[0];
interface Flow {
  id: number;
  code: string;
  name: string;
  version: number;
}

let flows = $state.raw<ReadonlyMap<string, Flow>>(new Map());
let databases = $state.raw<ReadonlyMap<string, string>>(new Map());
let connectors = $state.raw<ReadonlyMap<string, string>>(new Map());
let people = $state.raw<ReadonlyMap<number, string>>(new Map());
let triggers = $state.raw<ReadonlyMap<number, string>>(new Map());

export const names = {
  get flows() {
    return flows;
  },
  get people() {
    return people;
  },
  get triggers() {
    return triggers;
  },
  flow: (code: string): string => flows.get(code)?.name ?? code,
  database: (code: string): string => databases.get(code) ?? code,
  /** What a code in a step stands for. @param kind of the step's key */
  thing: (kind: string, code: string): string =>
    kind === "flow"
      ? names.flow(code)
      : kind === "database"
      ? names.database(code)
      : kind === "connector"
      ? connectors.get(code) ?? code
      : code,
  user(id: number | null): string {
    if (id === null) return "";
    return id === session.me?.user.id ? "You" : people.get(id) ?? `User ${id}`;
  },
  trigger: (id: number): string => triggers.get(id) ?? `Trigger ${id}`,
  loadFlows: (): Promise<void> =>
    keep(
      (page) => api.flows.list.query({ ...page, sort: "name" }),
      (list) => (flows = new Map(list.map((flow) => [flow.code, flow]))),
    ),
  loadDatabases: (): Promise<void> =>
    allDatabases().then((list) => void (databases = new Map(list.map(({ code, name }) => [code, name]))), () => {}),
  /** Databases and connectors. */
  async loadThings() {
    await Promise.all([
      names.loadDatabases(),
      keep(
        (page) => api.connectors.list.query({ ...page, sort: "name" }),
        (list) => (connectors = new Map(list.map(({ code, name }) => [code, name]))),
      ),
    ]);
  },
  async load() {
    await Promise.all([
      names.loadFlows(),
      keep(
        (page) => api.crons.list.query(page),
        (list) => (triggers = new Map(list.map((cron) => [cron.id, cron.name ?? wordsOf(cron)]))),
      ),
      keep(
        (page) => api.user_settings.list.query({ ...page, sort: "name" }),
        (list) => (people = new Map(list.map(({ id, name, login }) => [id, name || login || `User ${id}`]))),
      ),
    ]);
  },
};

/** Without the names the page shows codes and ids, and nothing else is missing. */
async function keep<Item>(read: (page: Page) => Promise<Item[]>, set: (list: Item[]) => void): Promise<void> {
  await everyPage(read, set).then(set, () => {});
}
