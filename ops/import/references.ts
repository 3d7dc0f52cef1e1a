// Takes the files that a text refers to, and the instructions of its repository, into the text of an agent.
import { dirname, join } from "../../base/plain_path.ts";
import { escapeText } from "./reading/body_text.ts";

/** The maximum size of everything that is added to one text, in characters. */
const MAX_ADDED = 100_000;

/** Matches `@docs/style.md`, `@{docs/style.md}` and `#file:docs/style.md`, but no address of mail and no code. */
const REFERENCE =
  /(?<![\w`@./])(?:@\{([^{}\n]+)\}|@((?:\.{0,2}\/)*[\w-](?:[\w./-]*[\w/-])?)|#file:([\w./-]*[\w/-]))/g;

/** Matches the files of Copilot, in which a Markdown link adds its file to the text. */
const COPILOT =
  /\.(?:prompt|agent|chatmode)\.md$|(?:^|\/)\.github\/(?:agents\/|copilot-instructions)/;
/** Matches a link to a file. Images, addresses and headings are no files. */
const LINK = /(?<!!)\[([^[\]\n]*)\]\((?!\w+:|#|\/)([\w./-]*[\w-])(?:#[^()\s]*)?\)/g;

/** Writes the Markdown links of Copilot's files as `#file:path`. */
function nameLinks(text: string, from: string): string {
  return COPILOT.test(from) ? text.replace(LINK, "$1 (#file:$2)") : text;
}

/** Returns the paths that the text of a file may refer to, relative to the source. */
export function findReferences(text: string, from: string): string[] {
  return [...nameLinks(text, from).matchAll(REFERENCE)].flatMap((match) =>
    candidates(pathOf(match), from)
  );
}

function pathOf([, braced, bare, named]: readonly (string | undefined)[]): string {
  return (braced ?? bare ?? named ?? "").trim();
}

function candidates(path: string, from: string): string[] {
  return [join(dirname(from), path), join(".", path)]
    .filter((one) => !one.startsWith("..") && !one.startsWith("/"));
}

/**
 * Adds the files that a text refers to at its end, and the files that these refer to. `context` are further files to add.
 * `texts` contains the content of every file that may be added. Returns the text with the paths of the added files, of those
 * that do not fit, and of those that are missing.
 */
export function addReferences(
  body: string,
  { from, texts, context }: {
    from: string;
    texts: ReadonlyMap<string, string>;
    context: readonly string[];
  },
): Record<"added" | "missing" | "tooLong", string[]> & { text: string } {
  const added = new Map<string, string>();
  const missing = new Set<string>();
  const tooLong = new Set<string>();
  let left = MAX_ADDED;
  const add = (path: string): void => {
    const text = texts.get(path);
    if (text === undefined || added.has(path) || tooLong.has(path)) return;
    if (text.length > left) {
      tooLong.add(path);
      return;
    }
    left -= text.length;
    // The entry keeps its place while the references of the text are added.
    added.set(path, "");
    added.set(path, link(escapeText(text), path));
  };
  const link = (text: string, path: string): string =>
    nameLinks(text, path).replace(REFERENCE, (match, ...groups) => {
      const written = pathOf([undefined, ...groups.slice(0, 3)]);
      const target = candidates(written, path).find((one) => texts.has(one));
      if (target === undefined) {
        if (
          /\.[A-Za-z]\w{0,4}$/.test(written) && !/^[\w-]+\.(?:com|org|net|io|dev)$/.test(written)
        ) {
          missing.add(match);
        }
        return match;
      }
      add(target);
      return `\`${target}\``;
    });
  const own = link(body, from).trim();
  for (const path of context) add(path);
  const parts = [...added].map(([path, text]) => `# The file ${path}\n\n${text.trim()}`);
  return {
    text: [own, ...parts].filter((part) => part !== "").join("\n\n"),
    added: [...added.keys()],
    missing: [...missing],
    tooLong: [...tooLong],
  };
}
