// What a person chose about the page itself and when they last looked, kept in this browser where it lets a page keep something.

/** A name under which something is kept. */
type Preference = "theme" | "shortcuts" | "since" | "look";

const PREFIX = "inkling.";

/** What was chosen; null for nothing. */
export function readPreference(name: Preference): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    // Browsers can forbid it: then every visit is the first.
    return null;
  }
}

/** Keeps a choice; null forgets it. */
export function keepPreference(name: Preference, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // It holds for as long as the page is open.
  }
}

/** The themes that can be chosen; `system` follows the system. */
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
