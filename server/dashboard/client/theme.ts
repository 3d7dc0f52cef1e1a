// Light or dark: as the system has it, unless the person chose.
import { keepPreference, readPreference } from "./preferences.ts";

/** What can be chosen; `system` follows the system. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = typeof THEMES[number];

/** The theme that was chosen. */
export function chosenTheme(): Theme {
  return THEMES.find((one) => one === readPreference("theme")) ?? "system";
}

/** Puts a theme on the page and keeps it. */
export function applyTheme(theme: Theme): void {
  keepPreference("theme", theme === "system" ? null : theme);
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
