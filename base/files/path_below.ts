// Whether one path lies in another, by their texts alone: for callers that ask at every event of the file system. A sandbox asks
// isWithin() of tools/files/place.ts, which knows what the platform takes for the same name.

/** Whether a path is the folder or lies in it. Both absolute, real and in one spelling. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
