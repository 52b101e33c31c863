import source_code from "./table_vue.txt" with { type: "text" };
import { FOR_MEMBERS, type Start } from "./template.ts";

const contact = (name: string, company: string, state: string, note = "") => ({
  name,
  company,
  email: `${name.split(" ")[0]?.toLowerCase()}@${company.split(" ")[0]?.toLowerCase()}.example`,
  state,
  note,
});

export const start: Start = {
  source_code,
  db: {
    ...FOR_MEMBERS,
    schema: {
      fields: {
        name: { type: "string", required: true },
        company: "string",
        email: "string",
        state: "string",
        note: "text",
      },
      indexes: { idx_str_1: "name", idx_str_2: "company", idx_str_3: "state" },
    },
    examples: () => [
      contact("Ada Novak", "Lakeside Cycles", "Customer", "Prefers the telephone."),
      contact("Bruno Ferri", "Ferri Tools", "In touch"),
      contact("Chiara Weiss", "Harbour Press", "New"),
      contact("Daniel Osei", "Northlight Studio", "Customer"),
      contact("Elif Kaya", "Kaya Travel", "In touch", "Wants an offer by the end of the month."),
      contact("Farid Haddad", "Cedar Logistics", "Paused"),
      contact("Grace Lindqvist", "Birch Dental", "New"),
      contact("Hugo Martin", "Atelier Martin", "Customer"),
    ],
  },
};
