import type { Order } from "../measure/load.ts";
import type { Measured } from "./records_stage.ts";
import type { Served, Work } from "../requests/works.ts";

/** One kind of work on the records of databases of several sizes. */
export interface RecordsWork {
  kind: string;
  /** An index answers it alone: its growth with the table has an aim. */
  indexed: boolean;
  /** The smallest database first. */
  sizes: (Work & { records: number })[];
}

const RECORD = {
  name: "Order {unique}",
  city: "City 7",
  customer: "Customer 7",
  amount: 4711,
  note: "Wants apples and {unique}",
  at: "2026-11-21T08:30:00.000+00:00",
};
const CREATE = JSON.stringify({ record: { data: RECORD } });
const UPDATE = JSON.stringify({ record: { data: { note: "Wants cherries from now on" } } });

interface Paths extends Partial<Order> {
  ours: string;
  bare: string;
  /** Of the handler on a table of its own. */
  plain?: string;
}

/** Reads come first: created rows stay, and updated rows leave dead ones behind. */
export function recordsWorks(
  { ours, bare, token }: Pick<Served, "ours" | "bare" | "token">,
  dbs: readonly Measured[],
): RecordsWork[] {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json; charset=utf-8" };
  const work = (kind: string, how: { indexed: boolean; aim?: number }, pathsOf: (db: Measured) => Paths) => ({
    kind,
    indexed: how.indexed,
    sizes: dbs.map((db) => {
      const { ours: path, bare: bare_path, plain, ...more } = pathsOf(db);
      const at = ({ origin, pid }: Served["ours"], path: string): Order => ({
        method: "GET",
        headers,
        ...more,
        pid,
        url: `${origin}${path}`,
      });
      return {
        name: `${kind}, ${db.records}`,
        records: db.records,
        ours: at(ours, `/platform/dbs/${db.code}/${path}`),
        others: [
          { name: "bare", order: at(bare, `/${db.code}/${bare_path}`), ...how.aim ? { aim: how.aim } : {} },
          ...plain ? [{ name: "plain table", order: at(bare, `/${db.code}/${plain}`), aim: 0.65 }] : [],
        ],
      };
    }),
  });
  const one = ({ ids }: Measured) => ({ ours: "records/{line}.json", bare: "records/{line}", lines: ids });
  const request = { indexed: true, aim: 0.8 };
  const list = { indexed: true, aim: 0.85 };
  const search = { indexed: false };
  return [
    work("read", request, one),
    work("list, filtered", list, ({ cities }) => ({
      ours: "records.json?per_page=20&filter[city]=City%20{line}",
      bare: "records?city=City%20{line}",
      lines: cities,
    })),
    work("list, filtered, by another field", list, ({ customers }) => ({
      ours: "records.json?per_page=20&filter[customer]=Customer%20{line}&sort=-amount",
      bare: "records?customer=Customer%20{line}",
      lines: customers,
    })),
    work("q, one has it", search, ({ words }) => ({
      ours: "search.json?per_page=20&q={line}",
      bare: "search?q={line}",
      lines: words,
    })),
    work("q, a quarter has it", search, () => ({ ours: "search.json?per_page=20&q=apples", bare: "search?q=apples" })),
    work("update", request, (db) => ({ ...one(db), method: "PATCH", body: UPDATE })),
    work("create", request, () => ({
      ours: "records.json",
      bare: "records",
      plain: "plain",
      method: "POST",
      body: CREATE,
    })),
  ];
}
