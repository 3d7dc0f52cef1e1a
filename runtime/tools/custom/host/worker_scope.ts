// The global scope of the workers in this folder.

/** Exchanges messages with the code that started the worker. */
export interface WorkerScope {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

/** Returns the scope of the current worker. The compiler knows only a main module's scope. */
export function workerScope(): WorkerScope {
  return globalThis as unknown as WorkerScope;
}
