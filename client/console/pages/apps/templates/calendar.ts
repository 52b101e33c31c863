import source_code from "./calendar_svelte.txt" with { type: "text" };
import { dayFrom, FOR_MEMBERS, type Start } from "./template.ts";

export const start: Start = {
  source_code,
  db: {
    ...FOR_MEMBERS,
    schema: {
      fields: {
        title: { type: "string", required: true },
        day: { type: "date", required: true },
        time: "time",
        colour: "string",
      },
      indexes: { idx_time_1: "day" },
    },
    examples(today) {
      const monday = -((today.getDay() + 6) % 7); // days from today to the Monday of this week
      return ([
        [monday - 7, "09:30", "Weekly meeting", "blue"],
        [monday - 4, "14:00", "Interview", "orange"],
        [monday, "09:30", "Weekly meeting", "blue"],
        [monday + 3, "18:30", "Choir", "violet"],
        [0, "12:30", "Lunch with Ines", "green"],
        [0, "16:00", "Review of the draft", "blue"],
        [2, null, "Ada's birthday", "orange"],
        [monday + 7, "09:30", "Weekly meeting", "blue"],
        [monday + 9, null, "Trade fair", "green"],
        [monday + 10, null, "Trade fair", "green"],
      ] as const).map(([days, time, title, colour]) => ({ title, day: dayFrom(today, days), time, colour }));
    },
  },
};
