// The scope of a worker, as the workers in this folder see their own.

/** Messages to and from whoever started the worker. */
export interface WorkerScope {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

/** The scope of the worker that this is called in. The compiler knows only that of a main module. */
export function workerScope(): WorkerScope {
  return globalThis as unknown as WorkerScope;
}
