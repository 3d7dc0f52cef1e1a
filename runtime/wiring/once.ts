// Creates lazy values: the first caller opens the value, and all callers share it.

/** Returns a function that calls `open` once and returns its value. After a failure, the next call tries again. */
export function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () =>
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
}
