// The search. It loads the texts of all pages when the reader first opens it, and indexes them in the browser.
import MiniSearch from "minisearch";

/** One section of a page, as in search.json. */
type Entry = [page: string, anchor: string, title: string, heading: string, text: string];

const MOST_RESULTS = 12;
/** The number of characters that an excerpt shows before the found word. AFTER counts from the start of the word. */
const BEFORE = 40;
const AFTER = 100;

/** Shows the search field. */
export function addSearch(): void {
  const place = document.getElementById("search");
  if (place === null) return;
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Search";
  field.autocomplete = "off";
  field.setAttribute("aria-label", "Search the documentation");
  const results = document.createElement("ul");
  const count = document.createElement("p");
  count.setAttribute("role", "status");
  place.append(field, count, results);
  place.hidden = false;

  let loading: Promise<(query: string) => Entry[]> | undefined;
  const load = () => loading ??= loadIndex();
  field.addEventListener("focus", () => void load().catch(() => loading = undefined));
  field.addEventListener("input", async () => {
    const query = field.value.trim();
    let found: Entry[] = [];
    let message = "";
    try {
      found = query === "" ? [] : (await load())(query);
      if (query !== "" && found.length === 0) message = "Nothing found";
    } catch {
      loading = undefined;
      message = "The search cannot be loaded";
    }
    // Discard these results if the reader has changed the query meanwhile.
    if (field.value.trim() !== query) return;
    results.replaceChildren(...found.map((entry) => toItem(entry, query)));
    count.textContent = found.length > 0 ? `${found.length} results` : message;
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !(event.target instanceof HTMLInputElement)) {
      event.preventDefault();
      field.focus();
    }
    if (event.key === "Escape" && place.contains(document.activeElement)) {
      field.value = "";
      field.dispatchEvent(new Event("input"));
      field.focus();
    }
  });
}

/** Loads the texts and returns the search. */
async function loadIndex(): Promise<(query: string) => Entry[]> {
  const response = await fetch("search.json");
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  const entries = await response.json() as Entry[];
  const index = new MiniSearch<{ id: number; title: string; heading: string; text: string }>({
    fields: ["heading", "title", "text"],
    searchOptions: {
      boost: { heading: 4, title: 2 },
      prefix: true,
      fuzzy: (term) => term.length > 4 ? 0.2 : false,
      combineWith: "AND",
    },
  });
  index.addAll(entries.map(([, , title, heading, text], id) => ({ id, title, heading, text })));
  return (query) =>
    index.search(query).slice(0, MOST_RESULTS).flatMap(({ id }) => {
      const entry = entries[id];
      return entry === undefined ? [] : [entry];
    });
}

function toItem([page, anchor, title, heading, text]: Entry, query: string): HTMLLIElement {
  const link = document.createElement("a");
  link.href = anchor === "" ? page : `${page}#${anchor}`;
  const name = document.createElement("strong");
  name.textContent = title === heading ? title : `${title}: ${heading}`;
  const excerpt = document.createElement("span");
  excerpt.textContent = excerptOf(text, query);
  link.append(name, excerpt);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** Returns the text around the first word of the query. */
function excerptOf(text: string, query: string): string {
  const word = query.toLowerCase().split(/\s+/)[0] ?? "";
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const start = Math.max(0, at - BEFORE);
  const part = text.slice(start, at + AFTER);
  return `${start > 0 ? "…" : ""}${part}${start + part.length < text.length ? "…" : ""}`;
}
