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
