// Declares the global scope of the workers in this folder.

/** The functions by which a worker exchanges messages with the code that started it. */
export interface WorkerScope {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

/** Returns the global scope of the current worker. The compiler only knows the global scope of a main module. */
export function workerScope(): WorkerScope {
  return globalThis as unknown as WorkerScope;
}
