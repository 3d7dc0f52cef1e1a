// Compares paths by text alone, for callers that run at every event of the file system. A sandbox uses isWithin() of
// tools/files/place.ts, which knows the platform's rules for equal names.

/** Returns true when a path is the folder or is inside it. Both are absolute, real and in one spelling. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
