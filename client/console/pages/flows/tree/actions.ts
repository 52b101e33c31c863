/** What can be done with the selected step, and the keys for it. `StepKeys.svelte` lists the keys. */
import type { IconName } from "../../../parts/icons.ts";

interface About {
  name: string;
  icon: IconName;
  keys: readonly string[];
}

export const ACTIONS = {
  edit: { name: "Edit", icon: "pencil", keys: ["Enter"] },
  insert: { name: "Add a step below", icon: "plus", keys: ["/"] },
  up: { name: "Move up", icon: "arrow-up", keys: ["Alt", "↑"] },
  down: { name: "Move down", icon: "arrow-down", keys: ["Alt", "↓"] },
  out: { name: "Move out", icon: "arrow-left", keys: ["Alt", "←"] },
  into: { name: "Move into the step above", icon: "arrow-right", keys: ["Alt", "→"] },
  duplicate: { name: "Duplicate", icon: "copy", keys: ["d"] },
  disable: { name: "Disable", icon: "ban", keys: ["."] },
  loop: { name: "Wrap in a loop", icon: "repeat", keys: ["w"] },
  branch: { name: "Wrap in a branch", icon: "split", keys: ["b"] },
  wrap: { name: "Wrap in …", icon: "boxes", keys: ["Shift", "W"] },
  copy: { name: "Copy", icon: "clipboard-list", keys: ["Ctrl", "C"] },
  cut: { name: "Cut", icon: "square-dashed", keys: ["Ctrl", "X"] },
  paste: { name: "Paste below", icon: "inbox", keys: ["Ctrl", "V"] },
  undo: { name: "Undo", icon: "undo-2", keys: ["Ctrl", "Z"] },
  delete: { name: "Delete", icon: "trash-2", keys: ["Del"] },
} as const satisfies Record<string, About>;

export type Action = keyof typeof ACTIONS;
