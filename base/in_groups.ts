// Processes many items concurrently in groups of limited size.

/**
 * Calls `work` for all items and returns the results in the order of the items. Processes `size` items concurrently, and
 * starts the next group when the whole group is done.
 */
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
