// Processes many items in parallel, a limited number at once.

/**
 * Calls `work` for all items, for `size` items at once, and returns the results in the order of the items. After a failure
 * no further item begins.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  { size, work }: { size: number; work: (item: Item) => Promise<Result> },
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  let hasFailed = false;
  const workAll = async () => {
    for (const [index, item] of left) {
      if (hasFailed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(size, items.length) }, workAll));
  return results;
}
