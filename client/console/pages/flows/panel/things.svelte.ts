/** Connectors, databases and flows that a step can name. */
import { api } from "../../../api.ts";
import { isObject, type JsonObject } from "../program/json.ts";

export interface Named {
  code: string;
  name: string;
}

type Connector = Awaited<ReturnType<typeof api.connectors.find.query>>;

/** The most that a list of choices has. */
const MOST = 500;

export class Things {
  connectors = $state.raw<readonly (Named & { id: number })[]>([]);
  databases = $state.raw<readonly Named[]>([]);
  flows = $state.raw<readonly (Named & { id: number })[]>([]);
  #methods = $state.raw<ReadonlyMap<string, Connector>>(new Map());
  readonly #asked = new Set<string>();

  /** What cannot be read is not offered. */
  async read(): Promise<void> {
    const page = { per_page: MOST, sort: "name" } as const;
    await Promise.all([
      api.connectors.list.query(page).then((list) => (this.connectors = list), () => {}),
      api.dbs.list.query(page).then((list) => (this.databases = list), () => {}),
      api.flows.list.query(page).then((list) => (this.flows = list), () => {}),
    ]);
  }

  readonly nameOf = (kind: string, code: string): string => {
    const list = { connector: this.connectors, database: this.databases, flow: this.flows }[kind] ?? [];
    return list.find((one) => one.code === code)?.name ?? code;
  };

  /** The methods of a connector by name; they are read at the first question. */
  methodsOf(code: string): JsonObject {
    const known = this.#methods.get(code);
    const found = this.connectors.find((one) => one.code === code);
    if (!known && found && !this.#asked.has(code)) {
      this.#asked.add(code);
      void api.connectors.find.query({ id: found.id }).then(
        (connector) => (this.#methods = new Map([...this.#methods, [code, connector]])),
        () => {},
      );
    }
    const fields: unknown = known?.fields;
    const methods = isObject(fields) ? fields.methods : undefined;
    return isObject(methods) ? methods : {};
  }

  /** Names of the parameters that a connector's method asks for. */
  paramsOf(code: string, method: string): string[] {
    const definition = JSON.stringify(this.methodsOf(code)[method] ?? {});
    return [...new Set([...definition.matchAll(/\{([A-Za-z_]\w*)\}/g)].map(([, name = ""]) => name))];
  }
}
