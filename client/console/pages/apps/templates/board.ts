import source_code from "./board_svelte.txt" with { type: "text" };
import { FOR_MEMBERS, type Start } from "./template.ts";

export const start: Start = {
  source_code,
  db: {
    ...FOR_MEMBERS,
    schema: {
      fields: {
        title: { type: "string", required: true },
        text: "text",
        colour: "string",
        pinned: "boolean",
        author: "string",
      },
      indexes: {},
    },
    public_methods: {
      ...FOR_MEMBERS.public_methods,
      create: { members_only: true, auto_fields: { author: "{user_name}" } },
    },
    examples: () => [
      {
        title: "New key for the cellar",
        text: "It hangs behind the front desk.",
        colour: "amber",
        pinned: false,
        author: "Tom",
      },
      {
        title: "Lost: one grey scarf",
        text: "It was last seen in the meeting room on the first floor.",
        colour: "rose",
        pinned: false,
        author: "Ines",
      },
      {
        title: "Running group",
        text: "Mondays at six, from the main door. Five kilometres at a pace at which one can talk.",
        colour: "sky",
        pinned: false,
        author: "Elif",
      },
      {
        title: "Bring a cake, take a cake",
        text: "Friday at three, in the kitchen. Tell Tom if you cannot eat nuts.",
        colour: "emerald",
        pinned: false,
        author: "Tom",
      },
      {
        title: "The lift is serviced on Tuesday",
        text: "Please use the stairs between nine and eleven.",
        colour: "sky",
        pinned: false,
        author: "Grace",
      },
      {
        title: "Welcome to the board",
        text:
          "Write what everyone should know.\n\nThe pin keeps a notice at the top, and the tick takes it down when it is settled.",
        colour: "amber",
        pinned: true,
        author: "Ada",
      },
    ],
  },
};
