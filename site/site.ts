// Builds the site as a record of file names and texts. Needs no network and writes nothing.
import { dirname, join, posix } from "node:path";
import { framePage } from "./frame.ts";
import { renderPage } from "./markdown.ts";
import { readNavigation } from "./navigation.ts";
import { type PageSource, readDocuments, readFilePage } from "./sources.ts";

/** The files of the site by name. */
export type SiteFiles = Readonly<Record<string, string>>;

/** Returns the files of the site. `script` is the bundled program of the pages. Throws Error for a link that leads nowhere. */
export function buildSite(
  { repository, version, script }: { repository: string; version: string; script: string },
): SiteFiles {
  const documents = readDocuments(repository);
  const pages = new Map(documents.map((one) => [one.path, one]));
  /**
   * Returns a function that converts the target of a link in `source` to an address on the site. It adds a page for a file
   * that is no document.
   */
  const addressIn = (source: PageSource) => (target: string): string => {
    if (/^[a-z]+:/.test(target) || target.startsWith("#")) return target;
    const [file = "", anchor] = target.split("#");
    const path = posix.normalize(posix.join(dirname(source.path), file));
    let page = pages.get(path);
    if (page === undefined) pages.set(path, page = readFilePage(repository, path));
    return anchor === undefined ? page.name : `${page.name}#${anchor}`;
  };
  const index = pages.get("docs/index.md");
  if (index === undefined) throw new Error("docs/index.md is missing");
  const navigation = readNavigation(index.text, addressIn(index));
  const files: Record<string, string> = {};
  const searched: string[] = [];
  // Rendering a page may add pages of linked files to the end of the map. This loop also reaches those.
  for (const source of pages.values()) {
    const page = renderPage(source.text, addressIn(source));
    const { name } = source;
    files[name] = framePage(page, { name, version, navigation });
    for (const { anchor, heading, text } of name.startsWith("file-") ? [] : page.sections) {
      searched.push(JSON.stringify([name, anchor, page.title, heading, text]));
    }
  }
  return {
    ...Object.fromEntries(Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1)),
    "search.json": `[\n${searched.join(",\n")}\n]\n`,
    "site.css": Deno.readTextFileSync(join(repository, "site/site.css")),
    "site.js": script,
  };
}

/**
 * Returns the files as one text with a separate line for each line of a file, so that changes of different lines can be
 * merged.
 */
export function packSite(files: SiteFiles): string {
  const lines = Object.entries(files).map(([name, text]) => [name, text.split("\n")]);
  return `${JSON.stringify(Object.fromEntries(lines), null, 1)}\n`;
}
