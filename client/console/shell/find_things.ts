/** What the palette finds on the server: destinations, and what can be run. */
import { api } from "../api.ts";
import { ENGINE_NAMES } from "../format.ts";
import { go } from "../router.svelte.ts";
import { addressOf, hasRole, mayEdit } from "../session.svelte.ts";
import type { Command } from "./palette.svelte.ts";

/** Of each kind. */
const MOST = 6;
/** Apps with a fitting action that are looked through. */
const MOST_WITH_ACTION = 50;

/** A list that is not the viewer's to read adds nothing. */
const rowsOf = <Item>(items: Promise<Item[]>, row: (item: Item) => Command): Promise<Command[]> =>
  items.then((list) => list.map(row), () => []);

/** @param q without words the latest apps are found */
export async function findThings(q: string): Promise<Command[]> {
  const page = { q: q || undefined, per_page: MOST };
  const apps = rowsOf(api.apps.list.query({ ...page, sort: "-updated_at" }), (app) => ({
    name: app.name,
    group: q ? "Go to" : "Recently edited",
    icon: "layout-grid",
    kind: `${ENGINE_NAMES[app.app_engine]} app`,
    about: { type: "app", app },
    run: () => go(addressOf(app)),
  }));
  if (!q || !hasRole("user")) return await apps;
  const found = await Promise.all([
    apps,
    rowsOf(api.dbs.list.query({ ...page, sort: "name" }), (db) => ({
      name: db.name,
      group: "Go to",
      icon: "database",
      kind: "Database",
      about: { type: "db", db },
      run: () => go(`/data/${db.code}`),
    })),
    rowsOf(api.flows.list.query({ ...page, sort: "name" }), (flow) => ({
      name: flow.name,
      group: "Go to",
      icon: "workflow",
      kind: "Flow",
      about: { type: "flow", flow },
      run: () => go(`/flows/${flow.id}`),
    })),
    hasRole("manager")
      ? rowsOf(api.user_settings.list.query(page), (person) => ({
        name: person.name || person.login,
        group: "Go to",
        icon: "user",
        kind: "Person",
        about: { type: "person", person },
        run: () => go(`/people?person=${person.id}`),
      }))
      : [],
    rowsOf(api.crons.list.query(page), (trigger) => ({
      name: trigger.name ?? trigger.sentence,
      group: "Go to",
      icon: "calendar-clock",
      kind: "Trigger",
      run: () => go(`/triggers/${trigger.id}`),
    })),
    rowsOf(api.connectors.list.query(page), (connector) => ({
      name: connector.name,
      group: "Go to",
      icon: "plug",
      kind: "Connector",
      about: { type: "connector", connector },
      run: () => go(`/connectors/${connector.id}`),
    })),
    hasRole("manager")
      ? rowsOf(api.departments.list.query(page), ({ id, name }) => ({
        name,
        group: "Go to",
        icon: "building-2",
        kind: "Department",
        run: () => go(`/departments/${id}`),
      }))
      : [],
    actionsOf(q),
  ]);
  // Lists are searched by codes and descriptions, too.
  const rank = ({ name }: Command) => name.toLowerCase().startsWith(q.toLowerCase()) ? 0 : fits(name, q) ? 1 : 2;
  return found.flat().toSorted((a, b) => rank(a) - rank(b));
}

/** Whether each word is in the name. */
const fits = (name: string, words: string): boolean =>
  words.toLowerCase().split(/\s+/).every((word) => name.toLowerCase().includes(word));

/** Actions of apps, by their own name or their app's. Each opens with its input. */
async function actionsOf(q: string): Promise<Command[]> {
  if (!mayEdit()) return [];
  const words = q.toLowerCase().split(/\s+/).filter((word) => word !== "run");
  const [first] = words;
  if (first === undefined) return [];
  const apps = await api.apps.list.query({ action: first, per_page: MOST_WITH_ACTION, sort: "-updated_at" })
    .catch(() => []);
  return apps.flatMap((app) =>
    app.actions
      .filter(({ action }) => fits(`${action} ${app.name}`, words.join(" ")))
      .map(({ action }): Command => ({
        name: `Run ${action}`,
        group: "Run",
        icon: "play",
        kind: app.name,
        run: () => go(`/apps/${app.id}?tab=actions&action=${encodeURIComponent(action)}`),
      }))
  ).slice(0, MOST);
}
