/** Connectors, databases and flows that a step can name, and the names that belong to each. */
import { api } from "../../../api.ts";
import { allDatabases, allFlows, everyPage } from "../../../every_page.ts";
import { type Table, tablesOf, TYPE_WORDS } from "../../data/tables.ts";
import { isObject, type JsonObject } from "../program/json.ts";
import type { Field } from "../program/types.ts";

export interface Named {
  code: string;
  name: string;
}

/** A name that is probably wanted. */
export interface Suggested {
  name: string;
  /** What its value is. */
  note: string;
}

type Connector = Awaited<ReturnType<typeof api.connectors.find.query>>;

export class Things {
  connectors = $state.raw<readonly (Named & { id: number })[]>([]);
  databases = $state.raw<readonly Named[]>([]);
  flows = $state.raw<readonly (Named & { id: number })[]>([]);
  #methods = $state.raw<ReadonlyMap<string, Connector>>(new Map());
  #tables = $state.raw<ReadonlyMap<string, readonly Table[]>>(new Map());
  #inputs = $state.raw<ReadonlyMap<string, readonly Suggested[]>>(new Map());
  readonly #asked = new Set<string>();

  /** What cannot be read is not offered. */
  async read(): Promise<void> {
    await Promise.all([
      everyPage((page) => api.connectors.list.query({ ...page, sort: "name" }))
        .then((list) => (this.connectors = list), () => {}),
      allDatabases().then((list) => (this.databases = list), () => {}),
      allFlows().then((list) => (this.flows = list), () => {}),
    ]);
  }

  readonly nameOf = (kind: string, code: string): string => {
    const list = { connector: this.connectors, database: this.databases, flow: this.flows }[kind] ?? [];
    return list.find((one) => one.code === code)?.name ?? code;
  };

  /** The first question for a thing reads it. */
  #ask(key: string, read: () => Promise<unknown>): void {
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    // What cannot be read is not offered.
    void read().catch(() => {});
  }

  /** The methods of a connector by name. */
  methodsOf(code: string): JsonObject {
    const found = this.connectors.find((one) => one.code === code);
    if (found) {
      this.#ask(`connector ${code}`, async () => {
        const connector = await api.connectors.find.query({ id: found.id });
        this.#methods = new Map([...this.#methods, [code, connector]]);
      });
    }
    const fields: unknown = this.#methods.get(code)?.fields;
    const methods = isObject(fields) ? fields.methods : undefined;
    return isObject(methods) ? methods : {};
  }

  /** The tables of a database; one without a name if it has only that. */
  tablesOf(code: string): readonly Table[] {
    if (this.databases.some((one) => one.code === code)) {
      this.#ask(`database ${code}`, async () => {
        const { schema } = await api.dbs.find.query({ db_code: code });
        this.#tables = new Map([...this.#tables, [code, tablesOf(schema)]]);
      });
    }
    return this.#tables.get(code) ?? [];
  }

  /** What a flow declares as its input, what it needs first. */
  #inputsOf(code: string): readonly Suggested[] {
    const found = this.flows.find((one) => one.code === code);
    if (found) {
      this.#ask(`flow ${code}`, async () => {
        const { input } = await api.flows.find.query({ id: found.id });
        this.#inputs = new Map([...this.#inputs, [code, inputsIn(input)]]);
      });
    }
    return this.#inputs.get(code) ?? [];
  }

  /** Names of the parameters that a connector's method asks for. */
  #paramsOf(code: string, method: string): Suggested[] {
    const definition = JSON.stringify(this.methodsOf(code)[method] ?? {});
    return [...new Set([...definition.matchAll(/\{([A-Za-z_]\w*)\}/g)].map(([, name = ""]) => name))]
      .map((name) => ({ name, note: "" }));
  }

  /** Names of values that a step probably needs. @param owner the step */
  namesFor(of: Field["names_of"], owner: JsonObject): readonly Suggested[] {
    const text = (key: string) => typeof owner[key] === "string" ? owner[key] : "";
    if (of === "method") return this.#paramsOf(text("connector_code"), text("method"));
    if (of === "flow") return this.#inputsOf(text("flow_code"));
    if (of !== "database") return [];
    const table = this.tablesOf(text("db_code")).find(({ name }) => name === text("table_name"));
    return table?.fields.map(({ name, type, required }) => ({
      name,
      note: `${TYPE_WORDS[type].name}${required ? ", required" : ""}`,
    })) ?? [];
  }
}

function inputsIn(schema: unknown): Suggested[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const required = isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  const inputs = Object.entries(properties).map(([name, property]) => {
    const type = isObject(property) && typeof property.type === "string" ? property.type : "any";
    return { name, note: `${type}${required.includes(name) ? ", required" : ""}` };
  });
  return inputs.toSorted((a, b) => Number(required.includes(b.name)) - Number(required.includes(a.name)));
}
