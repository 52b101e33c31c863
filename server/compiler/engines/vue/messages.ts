/** What Vue authors are told beside the messages of Vue's compiler. */
import type { Rewording } from "../../bundle/reword.ts";
import { BLOCKS } from "../block_messages.ts";

export const MESSAGES = {
  types_need_ts: 'Types need <script lang="ts">',
  template_in_string: "A template in a string is not compiled: write a <template>, or a render function with h()",
  scripts_differ: "<script> and <script setup> must have the same lang",
  ...BLOCKS,
  no_value_rule: "@value is not supported: custom properties (--name) are",
  composes_one_class: "composes is for rules of a single class",
  composes_from: "composes takes from this block or from global",
  composes_unknown: (name: string) => `"${name}" is not a class of this block`,
} as const;

/** Messages of Vue's compiler that address the person who configures it. */
export const REWORDED: Rewording = [
  [
    /^(?:No fs option|Type import from non-relative).*/s,
    "Types from other modules cannot be read here: declare what a macro needs in this file",
  ],
  [/.*parser plugin\(s\):.*"jsx".*/s, "JSX is not supported: write a <template>, or call h()"],
];
