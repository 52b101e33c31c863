import type { Order } from "./load.ts";
import type { Seeded } from "./seed.ts";

/** One kind of work, done by several subjects in turn. */
export interface Work {
  name: string;
  /** Ours is the first; each of the others is what it is compared with, and what share of it we aim at. */
  ours: Order;
  others: { name: string; order: Order; aim?: number }[];
}

export interface Addresses {
  ours: string;
  bare: string;
  token: string;
  page: string;
  seeded: Seeded;
}

/** `/trpc` takes its input as superjson; plain JSON values stand under `json`. */
const trpc = (procedure: string, input: unknown) =>
  `/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;

/** Reads first: what is created stays, and a longer list is more work. */
export function worksOf({ ours, bare, token, page, seeded: { ids } }: Addresses): Work[] {
  const headers = { authorization: `Bearer ${token}` };
  const json = { ...headers, "content-type": "application/json; charset=utf-8" };
  const at = (origin: string, path: string, more: Partial<Order> = {}): Order => ({
    method: "GET",
    url: `${origin}${path}`,
    headers,
    ...more,
  });
  const update = { method: "PATCH", ids, headers: json, body: '{"department":{"phone":"+48 22 555 9999"}}' } as const;
  const create = { method: "POST", headers: json, body: '{"department":{"name":"Made {unique}"}}' } as const;
  const listed = [
    { name: "bare, naive", order: at(bare, "/naive/departments") },
    { name: "bare", order: at(bare, "/departments") },
  ] as const;
  const found = { name: "bare", order: at(bare, "/departments/{id}", { ids }) };
  return [
    {
      name: "list",
      ours: at(ours, "/account/departments.json?per_page=20"),
      others: [{ ...listed[0], aim: 1.5 }, { ...listed[1], aim: 0.8 }],
    },
    { name: "read", ours: at(ours, "/account/departments/{id}.json", { ids }), others: [{ ...found, aim: 0.8 }] },
    {
      name: "list, tRPC",
      ours: at(ours, trpc("departments.list", { per_page: 20 })),
      others: [{ ...listed[1], aim: 0.55 }],
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
