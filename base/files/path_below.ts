// Compares paths by their text, for code that runs at every file system event. A sandbox uses isWithin() of
// runtime/tools/files/place.ts, which also knows how a platform compares names.

/**
 * Returns true if a path is the folder or inside the folder. The path and the folder must be absolute, real and in the same
 * spelling.
 */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
