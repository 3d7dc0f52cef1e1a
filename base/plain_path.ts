// Provides path functions without node:path. Loading node:path takes a third of a command's start time, and costs a service
// the memory of all shared Node modules. On Windows it is loaded nevertheless.

/** The functions of node:path that commands and the service need while they start. */
export interface Paths {
  basename(path: string): string;
  dirname(path: string): string;
  isAbsolute(path: string): boolean;
  join(...parts: readonly string[]): string;
  normalize(path: string): string;
  relative(from: string, to: string): string;
  resolve(...parts: readonly string[]): string;
}

/** Matches an absolute POSIX path with an empty name, `.` or `..`, and the root. */
export const NOT_NORMAL = /\/\.{0,2}(?:\/|$)/;

/** POSIX paths, equal to node:path/posix. */
export const POSIX_PATHS: Paths = {
  basename(path) {
    const trimmed = trimEnd(path);
    return trimmed.slice(trimmed.lastIndexOf("/") + 1);
  },
  dirname(path) {
    const isAbsolute = path.startsWith("/");
    const trimmed = trimEnd(path);
    const end = trimmed.lastIndexOf("/");
    if (end <= 0) return isAbsolute ? "/" : ".";
    // Keep exactly two leading slashes, because POSIX lets a system treat two leading slashes differently from a single
    // one.
    return isAbsolute && end === 1 ? "//" : trimmed.slice(0, end);
  },
  isAbsolute: (path) => path.startsWith("/"),
  join: (...parts) => POSIX_PATHS.normalize(parts.filter((part) => part !== "").join("/")),
  normalize(path) {
    const isAbsolute = path.startsWith("/");
    const text = partsOf(path, { isAbsolute }).join("/");
    const end = path.endsWith("/") ? "/" : "";
    if (text === "") return isAbsolute ? "/" : `.${end}`;
    return (isAbsolute ? "/" : "") + text + end;
  },
  relative(from, to) {
    // Most calls have a normal path below another, for which comparing the texts takes a tenth of the time.
    if (from.startsWith("/") && to.startsWith(`${from}/`) && !NOT_NORMAL.test(to)) {
      return to.slice(from.length + 1);
    }
    const [here, there] = [from, to].map((path) =>
      partsOf(POSIX_PATHS.resolve(path), { isAbsolute: true })
    ) as [string[], string[]];
    const differs = here.findIndex((part, index) => part !== there[index]);
    const shared = differs < 0 ? here.length : differs;
    return [...here.slice(shared).map(() => ".."), ...there.slice(shared)].join("/");
  },
  resolve(...parts) {
    const first = parts.findLastIndex((part) => part.startsWith("/"));
    const base = first < 0 ? [Deno.cwd()] : [];
    const path = [...base, ...parts.slice(Math.max(0, first))].join("/");
    return `/${partsOf(path, { isAbsolute: true }).join("/")}`;
  },
};

/**
 * The path functions of this system. node:path is not imported, because the import would have to be awaited, and some
 * engines do not start a module with such an await.
 */
export const { basename, dirname, isAbsolute, join, normalize, relative, resolve }: Paths =
  Deno.build.os === "windows" ? nodePath() : POSIX_PATHS;

function nodePath(): Paths {
  // deno-lint-ignore no-process-global -- an import of node:process loads what this file is there to avoid
  return process.getBuiltinModule("node:path");
}

/** Returns the names in a path without `.` and empty names. Resolves each `..` that follows a name. */
function partsOf(path: string, { isAbsolute }: { isAbsolute: boolean }): string[] {
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    const isUp = part === "..";
    if (isUp && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isUp || !isAbsolute) kept.push(part);
  }
  return kept;
}

/**
 * Returns the text without slashes at its end. Uses a loop, because a regular expression would search from every slash of
 * the path.
 */
function trimEnd(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}
