/** Messages of Svelte's compiler that name tools which a server does not have. */
import type { Rewording } from "../../bundle/reword.ts";

export const REWORDED: Rewording = [
  [
    /^TypeScript language features like (.*) are not natively supported.*$/,
    'TypeScript\'s $1 are not supported here. They are in a <script lang="ts">',
  ],
  [/ If this exists for a preprocessor.*$/, ""],
];
