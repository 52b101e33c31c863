/** The examples that `deno task seed` installs: folders of an account, as `deno task pull` writes them. */
import { fileURLToPath } from "node:url";
import { records as booking_records } from "./booking_form/records.ts";
import { records as crm_records } from "./crm_board/records.ts";
import { records as order_records } from "./order_process/records.ts";
import type { Records } from "./records.ts";
import { records as status_records } from "./status_page/records.ts";
import { records as warehouse_records } from "./warehouse_game/records.ts";

export interface Example {
  /** The name of its folder. */
  folder: string;
  name: string;
  /** The `url_code` of the app to open first. */
  opens: string;
  /** Loaded into databases that have no records. */
  records: Records;
  /** Run by hand once, after the records have been loaded, because their triggers may be due much later. */
  flows: readonly string[];
}

export const EXAMPLES: readonly Example[] = [
  { folder: "crm_board", name: "CRM board", opens: "crm-board", records: crm_records, flows: [] },
  {
    folder: "booking_form",
    name: "Booking form",
    opens: "booking",
    records: booking_records,
    flows: ["booking_open_days"],
  },
  { folder: "status_page", name: "Status page", opens: "status", records: status_records, flows: ["status_check"] },
  { folder: "warehouse_game", name: "Warehouse", opens: "warehouse", records: warehouse_records, flows: [] },
  { folder: "order_process", name: "Orders", opens: "orders", records: order_records, flows: [] },
];

export const pathOf = ({ folder }: Example): string => fileURLToPath(new URL(folder, import.meta.url));
