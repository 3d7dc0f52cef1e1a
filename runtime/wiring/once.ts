// Lazy values: opened by the first caller and shared by all.

/** Returns a function that opens the value once. After a failure the next call tries again. */
export function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () =>
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
}
