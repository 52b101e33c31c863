/** Tries a hostile case in a world. */
import type { TestServer } from "../harness.ts";
import type { HostileCase } from "./cases.ts";
import type { World } from "./world.ts";

/** A call of the method `m` of a connector that was saved without checks in the default account. */
export interface Attempt {
  connector_id: number;
  connector_code: string;
  params: Record<string, string>;
  timeout_s: number;
}

/** A way to call a connector: the API, a flow, and so on. @returns the kind of the fault, or `ok` */
export type Way = (server: TestServer, attempt: Attempt) => Promise<string>;

/** Tries one case in one way. @returns the kind of fault of each try */
export async function attempt(world: World, way: Way, hostile: HostileCase): Promise<string[]> {
  const { path = "/", times = 1, timeout_s = 10 } = hostile;
  const params = hostile.params?.(world) ?? {};
  const [pathname = "", search] = path.split("?");
  const asked = Object.keys(params).filter((name) => !path.includes(`{${name}}`)).map((name) => [name, `{${name}}`]);
  const query = Object.fromEntries([...new URLSearchParams(search), ...asked]);
  const fields = { methods: { m: { method: "GET", path: pathname, query } } };
  const { id, code } = await world.add(hostile.url(world), { fields });
  const kinds: string[] = [];
  for (let time = 0; time < times; time++) {
    kinds.push(await way(world.server, { connector_id: id, connector_code: code, params, timeout_s }));
  }
  return kinds;
}

/** How many connections have reached the canary. */
export const hits = ({ canary }: World): number => canary.reduce((sum, { connections }) => sum + connections(), 0);
