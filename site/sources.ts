// The sources of the site: the Markdown files that become pages, and the other files that pages link to.
import { basename, join, relative } from "node:path";

/** One page of the site. */
export interface PageSource {
  /** The file name on the site: `triggers.html`. */
  name: string;
  /**
   * The path of the Markdown file, relative to the repository. For a page that shows files: the path of the file or folder.
   */
  path: string;
  /** The Markdown. */
  text: string;
}

/** Markdown files outside of docs/ that pages link to, with their names on the site. */
const OTHER_DOCUMENTS: Readonly<Record<string, string>> = {
  "README.md": "overview.html",
  "examples/README.md": "examples.html",
  "proof/README.md": "proofs.html",
  "CONTRIBUTING.md": "contributing.html",
  "CHANGELOG.md": "changelog.html",
};

/** The languages of code blocks, by the suffix of a file. */
const LANGUAGES: Readonly<Record<string, string>> = {
  md: "markdown",
  yml: "yaml",
};

/** Returns the pages of the Markdown files. Throws Error if two have the same name. */
export function readDocuments(repository: string): PageSource[] {
  const documents = filesBelow(join(repository, "docs")).filter((path) => path.endsWith(".md"))
    .map((path) => ({ path: relative(repository, path), name: htmlName(path) }));
  const others = Object.entries(OTHER_DOCUMENTS).map(([path, name]) => ({ path, name }));
  const sources = [...documents, ...others].map(({ path, name }) => ({
    ...{ path, name },
    text: Deno.readTextFileSync(join(repository, path)),
  }));
  const names = new Set<string>();
  for (const { name, path } of sources) {
    if (names.has(name)) throw new Error(`${path}: another page is called ${name}`);
    names.add(name);
  }
  return sources.sort((a, b) => a.path < b.path ? -1 : 1);
}

/** Returns a page with the text of a file, or of every file below a folder. */
export function readFilePage(repository: string, path: string): PageSource {
  const whole = join(repository, path);
  const isFolder = Deno.statSync(whole).isDirectory;
  const files = isFolder ? filesBelow(whole).sort() : [whole];
  const parts = files.map((file) => {
    const suffix = /\.(\w+)$/.exec(basename(file))?.[1] ?? "text";
    const text = Deno.readTextFileSync(file).trimEnd();
    const block = `${FENCE}${LANGUAGES[suffix] ?? suffix}\n${text}\n${FENCE}`;
    return isFolder ? `## ${relative(whole, file)}\n\n${block}` : block;
  });
  return {
    name: `file-${path.replace(/\/$/, "").replaceAll(/[^\w]+/g, "-").replace(/^-/, "")}.html`,
    path,
    text: [`# ${isFolder ? path.replace(/\/$/, "") : basename(path)}`, ...parts, ""].join("\n\n"),
  };
}

/** The fence around the text of a file. It is longer than every fence in a file. */
const FENCE = "``````";

function htmlName(path: string): string {
  return basename(path).replace(/\.md$/, ".html");
}

function filesBelow(path: string): string[] {
  if (Deno.statSync(path).isFile) return [path];
  return [...Deno.readDirSync(path)].map(({ name }) => name).sort()
    .flatMap((name) => filesBelow(join(path, name)));
}
