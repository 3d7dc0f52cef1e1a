// The page's preferences and the time of the last visit, in the local storage of the browser.

/** The name of a preference. */
type Preference = "theme" | "shortcuts" | "since" | "look";

const PREFIX = "inkling.";

/** Returns a preference, or null if it is not set. */
export function readPreference(name: Preference): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    // The browser forbids storage, so no preference is set.
    return null;
  }
}

/** Stores a preference; null removes it. */
export function keepPreference(name: Preference, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // The browser forbids storage, so the preference is lost when the page is closed.
  }
}

/** The themes. `system` follows the operating system. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = typeof THEMES[number];

/** Returns the chosen theme. */
export function chosenTheme(): Theme {
  return THEMES.find((one) => one === readPreference("theme")) ?? "system";
}

/** Applies a theme to the page and stores it. */
export function applyTheme(theme: Theme): void {
  keepPreference("theme", theme === "system" ? null : theme);
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
