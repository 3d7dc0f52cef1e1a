// Declares the global scope of the workers in this folder.

/**
 * Returns the functions by which the current worker exchanges messages with the code that started it. The compiler only
 * knows the global scope of a main module.
 */
export function workerScope(): {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
} {
  return globalThis as unknown as ReturnType<typeof workerScope>;
}
