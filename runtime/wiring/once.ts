// What is opened by whoever asks first, and is then there for all.

/** One value for all who ask; a failure is forgotten, so that the next one tries anew. */
export function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () =>
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
}
