import source_code from "./chart_js.txt" with { type: "text" };
import { dayFrom, FOR_MEMBERS, type Start } from "./template.ts";

const SHOP = [820, 910, 760, 1040, 980, 1130, 1090, 1240, 1010, 1320, 1180, 640];
const ONLINE = [310, 290, 420, 380, 510, 470, 560, 640, 720, 690, 830, 410];

export const start: Start = {
  source_code,
  db: {
    ...FOR_MEMBERS,
    schema: {
      fields: {
        day: { type: "date", required: true },
        kind: { type: "string", required: true },
        amount: { type: "number", required: true },
      },
      indexes: { idx_time_1: "day", idx_str_1: "kind" },
    },
    examples: (today) =>
      SHOP.flatMap((amount, week) => {
        const day = dayFrom(today, 7 * (week + 1 - SHOP.length));
        return [{ day, kind: "Shop", amount }, { day, kind: "Online", amount: ONLINE[week] }];
      }),
  },
};
