import type { Order } from "./load.ts";
import type { Measured } from "./records_stage.ts";
import type { Work } from "./works.ts";

/** What is done with the records of one database, whatever its size. */
export interface RecordsWork extends Work {
  size: number;
  kind: string;
  /** Its growth with the table has an aim: an index answers it alone. */
  indexed: boolean;
}

export interface Addresses {
  ours: string;
  bare: string;
  token: string;
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

/** Reads first: what is created stays, and what is updated leaves dead rows behind. */
export function recordsWorks({ ours, bare, token }: Addresses, dbs: readonly Measured[]): RecordsWork[] {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json; charset=utf-8" };
  const aimed = { indexed: true, aim: 0.8 };
  const of = (
    kind: string,
    { indexed, aim }: { indexed: boolean; aim?: number },
    how: (db: Measured) => { ours: string; bare: string } & Partial<Order>,
  ) =>
    dbs.map((db): RecordsWork => {
      const { ours: path, bare: barePath, ...order } = how(db);
      const at = (url: string): Order => ({ method: "GET", headers, ...order, url });
      return {
        name: `${kind}, ${db.records}`,
        kind,
        size: db.records,
        indexed,
        ours: at(`${ours}/platform/dbs/${db.code}/${path}`),
        others: [{ name: "bare", order: at(`${bare}/${db.code}/${barePath}`), ...aim ? { aim } : {} }],
      };
    });
  const one = ({ ids }: Measured) => ({ ours: "records/{line}.json", bare: "records/{line}", lines: ids });
  return [
    ...of("read", aimed, one),
    ...of("list, filtered", aimed, ({ cities }) => ({
      ours: "records.json?per_page=20&filter[city]=City%20{line}",
      bare: "records?city=City%20{line}",
      lines: cities,
    })),
    ...of("list, filtered, by another field", aimed, ({ customers }) => ({
      ours: "records.json?per_page=20&filter[customer]=Customer%20{line}&sort=-amount",
      bare: "records?customer=Customer%20{line}",
      lines: customers,
    })),
    ...of("q, one has it", { indexed: false }, ({ words }) => ({
      ours: "search.json?per_page=20&q={line}",
      bare: "search?q={line}",
      lines: words,
    })),
    ...of("q, a quarter has it", { indexed: false }, () => ({
      ours: "search.json?per_page=20&q=apples",
      bare: "search?q=apples",
    })),
    ...of("update", aimed, (db) => ({ ...one(db), method: "PATCH", body: UPDATE })),
    ...of("create", aimed, () => ({ ours: "records.json", bare: "records", method: "POST", body: CREATE })),
  ];
}
