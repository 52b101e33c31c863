import source_code from "./form_html.txt" with { type: "text" };
import type { Start } from "./template.ts";

const required = ["stars", "name", "email", "message"];

export const start: Start = {
  source_code,
  db: {
    schema: {
      fields: {
        stars: { type: "integer", required: true },
        name: { type: "string", required: true },
        email: { type: "string", required: true },
        message: { type: "text", required: true },
      },
      indexes: { idx_int_1: "stars", idx_str_1: "name" },
    },
    // Visitors add answers and read none.
    public_methods: { create: { allowed_fields: required, required_fields: required } },
    public_write_limit: 20,
    examples: () => [
      { stars: 4, name: "Tom", email: "tom@example.com", message: "Good, but the soup was cold." },
      { stars: 5, name: "Ada", email: "ada@example.com", message: "Everything worked at the first try. Thank you!" },
    ],
  },
};
