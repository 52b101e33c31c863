/** Light, dark, or as the system has it. Kept in this browser. */
export type Theme = "system" | "light" | "dark";

const KEY = "theme";
const kept = localStorage.getItem(KEY);
let theme = $state<Theme>(kept === "light" || kept === "dark" ? kept : "system");

apply();

function apply() {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const currentTheme = () => theme;

export function setTheme(next: Theme): void {
  theme = next;
  if (next === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  apply();
}
