// Path functions without node:path. Loading that takes a third of a command's start, and costs a service the memory of
// all shared Node modules. Windows loads it all the same.

/** The functions of node:path that the start of a command or of the service needs. */
export interface Paths {
  basename(path: string): string;
  dirname(path: string): string;
  isAbsolute(path: string): boolean;
  join(...parts: readonly string[]): string;
  normalize(path: string): string;
  relative(from: string, to: string): string;
  resolve(...parts: readonly string[]): string;
}

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
    // Two leading slashes may differ from one: POSIX leaves that to the system.
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
 * The path functions of this system. Not imported: the import would have to be awaited, and some engines start no such
 * module.
 */
export const PATHS: Paths = Deno.build.os === "windows" ? nodePath() : POSIX_PATHS;

function nodePath(): Paths {
  // deno-lint-ignore no-process-global -- an import of node:process loads what this file is there to avoid
  return process.getBuiltinModule("node:path");
}

/** Returns the names in a path, without `.` and empty ones, with `..` resolved as far as possible. */
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

/** Removes slashes at the end. A regular expression would try each slash of a path, once for each of its names. */
function trimEnd(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}
