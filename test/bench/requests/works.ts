import type { Order } from "../measure/load.ts";
import type { Seeded } from "./seed.ts";
import type { Server } from "../measure/servers.ts";

/** One kind of work, done by several subjects in turn. */
export interface Work {
  name: string;
  ours: Order;
  /** What ours is compared with. `aim`: the share of its throughput that ours should reach. */
  others: { name: string; order: Order; aim?: number }[];
}

export interface Served {
  ours: Pick<Server, "origin" | "pid">;
  bare: Pick<Server, "origin" | "pid">;
  token: string;
  page: string;
  seeded: Seeded;
}

/** `/trpc` takes its input as superjson; plain JSON values stand under `json`. */
const trpc = (procedure: string, input: unknown) =>
  `/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;

/** Reads come first: created rows stay, and a longer list is more work. */
export function worksOf({ ours, bare, token, page, seeded: { ids } }: Served): Work[] {
  const headers = { authorization: `Bearer ${token}` };
  const json = { ...headers, "content-type": "application/json; charset=utf-8" };
  const at = ({ origin, pid }: Served["ours"], path: string, more: Partial<Order> = {}): Order => ({
    method: "GET",
    url: `${origin}${path}`,
    pid,
    headers,
    ...more,
  });
  const update = { method: "PATCH", ids, headers: json, body: '{"department":{"phone":"+48 22 555 9999"}}' } as const;
  const create = { method: "POST", headers: json, body: '{"department":{"name":"Made {unique}"}}' } as const;
  const naive = { name: "bare, naive", order: at(bare, "/naive/departments") };
  const listed = { name: "bare", order: at(bare, "/departments") };
  const found = { name: "bare", order: at(bare, "/departments/{id}", { ids }) };
  return [
    {
      name: "list",
      ours: at(ours, "/account/departments.json?per_page=20"),
      others: [{ ...naive, aim: 1.5 }, { ...listed, aim: 0.85 }],
    },
    { name: "read", ours: at(ours, "/account/departments/{id}.json", { ids }), others: [{ ...found, aim: 0.8 }] },
    {
      name: "list, tRPC",
      ours: at(ours, trpc("departments.list", { per_page: 20 })),
      others: [{ ...listed, aim: 0.55 }],
    },
    {
      name: "page",
      ours: at(ours, page, { headers: {} }),
      others: [
        { name: "Hono, static", order: at(bare, "/hono/page", { headers: {} }), aim: 0.85 },
        { name: "bare, static", order: at(bare, "/page", { headers: {} }) },
      ],
    },
    {
      name: "update",
      ours: at(ours, "/account/departments/{id}.json", update),
      others: [{ name: "bare", order: at(bare, "/departments/{id}", update), aim: 0.8 }],
    },
    {
      name: "create",
      ours: at(ours, "/account/departments.json", create),
      others: [{ name: "bare", order: at(bare, "/departments", create), aim: 0.8 }],
    },
  ];
}
