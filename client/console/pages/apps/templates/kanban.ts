import source_code from "./kanban_jsx.txt" with { type: "text" };
import { FOR_MEMBERS, type Start } from "./template.ts";

const CARDS = {
  todo: ["Ask three printers for offers", "Choose the paper", "Book the photographer"],
  doing: ["Write the text of the front page", "Draw the map"],
  done: ["Agree on the budget", "Collect the logos"],
};

export const start: Start = {
  source_code,
  db: {
    ...FOR_MEMBERS,
    schema: {
      fields: {
        title: { type: "string", required: true },
        column: { type: "string", required: true },
        place: { type: "number", required: true },
      },
      indexes: { idx_str_1: "column" },
    },
    examples: () =>
      Object.entries(CARDS).flatMap(([column, titles]) => titles.map((title, place) => ({ title, column, place }))),
  },
};
