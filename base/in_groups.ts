// Work on many things, some of them at a time: neither one after the other nor all at once.

/** The results in the order of the items. `size` of them are worked on together, the next ones when all of these are done. */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  { size, work }: { size: number; work: (item: Item) => Promise<Result> },
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += size) {
    results.push(...await Promise.all(items.slice(start, start + size).map(work)));
  }
  return results;
}
