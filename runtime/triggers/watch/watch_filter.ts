// Which changes below a watched place concern an agent: its pattern, its filters, and what nobody wants to hear of.
import { basename } from "node:path";
import { IGNORED_FOLDERS } from "../../agents/watch_path.ts";
import { compileGlob, type GlobMatcher } from "../../../base/files/glob.ts";
import { STAGED_NAME } from "../../../base/files/staged_files.ts";

/**
 * Whether a path concerns an agent: relative to the watched folder, or, where the watched path `is` a file, its name. An
 * agent that names a file gets its changes whatever it is called.
 */
export type WatchFilter = (relative: string, is: "file" | "folder") => boolean;

/** What is ignored unless a pattern names it: `mark` is how a pattern does so. */
interface Ignored {
  applies(relative: string, name: string): boolean;
  mark: RegExp;
}

const inFolder = (folder: string): Ignored => {
  const mark = new RegExp(`(^|/)${folder.replaceAll(".", "\\.")}(/|$)`);
  return { applies: (relative) => mark.test(relative), mark };
};
const named = (pattern: RegExp, mark: RegExp): Ignored => (
  { applies: (_relative, name) => pattern.test(name), mark }
);

const IGNORED: readonly Ignored[] = [
  ...IGNORED_FOLDERS.map(inFolder),
  // Vim: swap files, and the name it tries out a folder with.
  named(/^\..*\.sw[a-px]$/, /\.sw[a-px]$/),
  named(/^4913$/, /4913$/),
  // Emacs: locks and automatic saves.
  named(/^\.#/, /\.#/),
  named(/^#.*#$/, /#$/),
  // Backups of many editors; locks of office programs; what other editors write before they rename.
  named(/~$/, /~$/),
  named(/^~\$/, /~\$/),
  named(/^\.~lock\..*#$/, /\.~lock\./),
  named(/\.kate-swp$/, /\.kate-swp$/),
  named(/^\.goutputstream-/, /\.goutputstream-/),
  named(/___jb_(tmp|old)___$/, /___jb_(tmp|old)___$/),
];

/**
 * The filter of one watched path. Patterns match the base name or the whole relative path; one that ends with a slash
 * means all that is in such a folder. For filters a leading dot is a character like any other; a path's pattern, as in a
 * shell, has to name it. Throws TypeError for a pattern that the agent file's check would refuse.
 */
export function createWatchFilter(
  glob: string | undefined,
  filters: { include: readonly string[]; exclude: readonly string[] },
): WatchFilter {
  const either = (match: GlobMatcher): GlobMatcher => (path) =>
    match(path) || match(basename(path));
  const inPlace = glob === undefined ? () => true : compile(glob, { dot: false });
  const includes = filters.include.map((pattern) => ({
    pattern,
    matches: either(compile(pattern, { dot: true })),
  }));
  const excludes = filters.exclude.map((pattern) => either(compile(pattern, { dot: true })));
  const wishes = glob === undefined ? includes : [...includes, { pattern: glob, matches: inPlace }];
  return (path, is) => {
    // Some systems store an accent as a character of its own: the name reads the same, and is meant.
    const relative = path.normalize("NFC");
    const name = basename(relative);
    if (STAGED_NAME.test(name) || !inPlace(relative)) return false;
    if (includes.length > 0 && !includes.some(({ matches }) => matches(relative))) return false;
    if (excludes.some((matches) => matches(relative))) return false;
    return is === "file" || IGNORED.every((ignored) =>
      !ignored.applies(relative, name) ||
      wishes.some(({ pattern, matches }) => ignored.mark.test(pattern) && matches(relative))
    );
  };
}

function compile(pattern: string, options: { dot: boolean }): GlobMatcher {
  // One that ends with a slash means all that is in such a folder.
  const matcher = compileGlob(pattern.normalize("NFC").replace(/\/$/, "/**"), options);
  if (typeof matcher !== "function") throw new TypeError(`A pattern that ${matcher.reason}`);
  return matcher;
}
