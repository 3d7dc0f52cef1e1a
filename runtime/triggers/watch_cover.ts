// Which folders have to be watched so that everything asked for is, and nothing twice. Pure.

/** A folder to watch: absolute, real. */
export interface WatchedFolder {
  folder: string;
  /** With all folders in it. */
  recursive: boolean;
}

/** Whether a path is the folder or lies in it. Both absolute, real and in one spelling. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

export function isSameFolder(a: WatchedFolder, b: WatchedFolder): boolean {
  return a.folder === b.folder && a.recursive === b.recursive;
}

/** Whether who watches `by` hears of all that happens in `folder`. */
export function isCovered(folder: WatchedFolder, by: WatchedFolder): boolean {
  return by.recursive
    ? isBelow(folder.folder, by.folder)
    : !folder.recursive && folder.folder === by.folder;
}

/** The fewest folders that cover all of these. No two of them are watched recursively one inside of the other. */
export function coverOf(wanted: readonly WatchedFolder[]): WatchedFolder[] {
  const cover: WatchedFolder[] = [];
  // Outer folders first, so that each is compared with all that could cover it.
  const ordered = [...wanted].sort((a, b) =>
    Number(b.recursive) - Number(a.recursive) || a.folder.length - b.folder.length
  );
  for (const { folder, recursive } of ordered) {
    const one = { folder, recursive };
    if (!cover.some((by) => isCovered(one, by))) cover.push(one);
  }
  return cover;
}
