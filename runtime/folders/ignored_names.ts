// Names in watched folders that are ignored: temporary files of programs, and files of operating systems. A pattern
// includes such a name if it contains the typical part of the name (the dot, the suffix). The pattern `*` does not include
// it.
import { expandBraces, MAX_BRACE_PATTERNS } from "../../base/files/glob_braces.ts";
import { basename } from "../../base/plain_path.ts";

/** A row of the table of ignored names, which `docs/triggers.md` shows. */
interface IgnoredRow {
  what: string;
  /** The ignored names. They may contain `*` and character classes. Case is ignored. */
  names: readonly string[];
  /** The names of folders that are ignored with all their content. */
  folders?: readonly string[];
}

/** The pattern of hidden files and folders. A hidden name that has a row of its own belongs only to that row. */
const HIDDEN = ".*";

/** The table of ignored names. */
export const IGNORED_NAMES: readonly IgnoredRow[] = [
  {
    what: "downloads in progress",
    names: ["*.crdownload", "*.opdownload", "*.part", "*.partial", "*.download"],
    folders: ["*.download"],
  },
  {
    what: "temporary files, also of OneDrive and Dropbox (`~name.tmp`)",
    names: ["*.tmp"],
  },
  { what: "Syncthing", names: [".syncthing.*", "~syncthing~*"] },
  {
    what: "hidden files and folders: rsync (`.name.Ab12Cd`), Dropbox (`.dropbox.cache`), ...",
    names: [HIDDEN],
    folders: [HIDDEN],
  },
  {
    what: "files of the system",
    names: [".DS_Store", "Thumbs.db", "desktop.ini", "._*"],
  },
  { what: "locks of office programs", names: [".~lock.*", "~$*"] },
  {
    what: "backups, swap files and locks of editors",
    names: [
      "*~",
      ".*.sw[a-px]",
      "4913",
      ".#*",
      "#*#",
      "*.kate-swp",
      ".goutputstream-*",
      "*___jb_tmp___",
      "*___jb_old___",
    ],
  },
  {
    what: "version control and packages",
    names: [],
    folders: [".git", "node_modules"],
  },
];

/** An ignored name in compiled form. */
interface IgnoredName {
  matches: RegExp;
  /** Matches the part that a pattern must contain to include this name. */
  mark: RegExp;
}

const FILES = IGNORED_NAMES.flatMap(({ names }) => names).filter((name) => name !== HIDDEN)
  .map(toIgnoredName);
const HIDDEN_NAME: IgnoredName = { matches: /^\./, mark: /(^|\/)\\?\.(?![./])/ };
const FOLDERS: ReadonlyMap<string, IgnoredName> = new Map(
  IGNORED_NAMES.flatMap(({ folders = [] }) => folders).map((name) => [name, toIgnoredFolder(name)]),
);

/** A pattern from an agent's file, with its compiled form. */
export interface WatchPattern {
  pattern: string;
  matches: (relative: string) => boolean;
}

/**
 * Returns a function that reports if a path is ignored. Paths are relative to the watched folder. A path that one of the
 * patterns includes is not ignored.
 */
export function createIgnoreRule(patterns: readonly WatchPattern[]): (relative: string) => boolean {
  const wishes = patterns.map(({ pattern, matches }) => ({ texts: plainTexts(pattern), matches }));
  return (relative) => {
    const folders = relative.split("/");
    const name = folders.pop() ?? "";
    const own = FILES.filter(({ matches }) => matches.test(name));
    if (own.length === 0 && HIDDEN_NAME.matches.test(name)) own.push(HIDDEN_NAME);
    const around = folders.flatMap((folder) =>
      [...FOLDERS.values()].filter(({ matches }) => matches.test(folder))
    );
    return [...own, ...around].some(({ mark }) =>
      !wishes.some(({ texts, matches }) =>
        texts.some((text) => mark.test(text)) && matches(relative)
      )
    );
  };
}

/** Returns the ignored folders that none of the patterns includes. They need not be read. */
export function foldersToSkip(patterns: readonly string[]): string[] {
  const texts = patterns.flatMap(plainTexts);
  const isNamed = ({ mark }: IgnoredName) => texts.some((text) => mark.test(text));
  // Skipping a name skips files of this name, too. So hidden names are not skipped if a pattern includes a hidden file.
  const isHiddenNamed = isNamed(HIDDEN_NAME);
  return [...FOLDERS].flatMap(([name, folder]) =>
    isNamed(folder) || name === HIDDEN && isHiddenNamed ? [] : [name]
  );
}

/** Returns true if the name of an entry is one of the skipped folders. */
export function isSkipped(path: string, skipped: readonly string[]): boolean {
  const name = basename(path);
  return skipped.some((folder) => FOLDERS.get(folder)?.matches.test(name));
}

/** Returns the texts to which the braces of a pattern expand, in lower case. */
function plainTexts(pattern: string): string[] {
  return (expandBraces(pattern, MAX_BRACE_PATTERNS) ?? [pattern])
    .map((text) => text.replace(/^\.\//, "").toLowerCase());
}

function toIgnoredName(name: string): IgnoredName {
  const parts = name.split(/\*|\[[^\]]+\]/);
  const [longest = ""] = parts.toSorted((a, b) => b.length - a.length);
  const source = name.replaceAll(/[.$+?()|\\]/g, "\\$&").replaceAll("*", ".*");
  return {
    matches: new RegExp(`^${source}$`, "is"),
    mark: new RegExp(RegExp.escape(longest.toLowerCase())),
  };
}

function toIgnoredFolder(name: string): IgnoredName {
  if (name === HIDDEN) return { ...HIDDEN_NAME, mark: /(^|\/)\\?\.(?![./])[^/]*\// };
  const { matches, mark } = toIgnoredName(name);
  const isWhole = !name.includes("*");
  return { matches, mark: isWhole ? new RegExp(`(^|/)${mark.source}(/|$)`) : mark };
}
