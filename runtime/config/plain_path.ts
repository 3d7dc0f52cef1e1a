// Paths without node:path, which takes a command a third of its start to load. On Windows it is loaded all the same.

/** What of node:path the first steps of a command need. */
export interface Paths {
  isAbsolute(path: string): boolean;
  join(...parts: readonly string[]): string;
  resolve(path: string): string;
}

/** POSIX paths, as node:path/posix has them. */
export const POSIX_PATHS: Paths = {
  isAbsolute: (path) => path.startsWith("/"),
  join: (...parts) => normalise(parts.filter((part) => part !== "").join("/")) || ".",
  resolve: (path) =>
    trimEnd(normalise(path.startsWith("/") ? path : `${Deno.cwd()}/${path}`)) || "/",
};

/** The paths of this system. */
export const PATHS: Paths = Deno.build.os === "windows" ? await import("node:path") : POSIX_PATHS;

/** Without `.`, `..` and doubled slashes; a slash at the end stays. */
function normalise(path: string): string {
  const isAbsolute = path.startsWith("/");
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    const isUp = part === "..";
    if (isUp && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isUp || !isAbsolute) kept.push(part);
  }
  const end = kept.length > 0 && path.endsWith("/") ? "/" : "";
  return (isAbsolute ? "/" : "") + kept.join("/") + end;
}

function trimEnd(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
