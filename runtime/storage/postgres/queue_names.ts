// The names of queues: who waits in one, and what a machine must have for it.

/** Where the tables of the queues are. */
export const QUEUE_SCHEMA = "inkling_queue";
/** Those that other executions wait for. */
const DELEGATED = "delegated";
const LABEL = /^[a-z0-9-]+$/;

/** The queue of executions whose agents need these labels: the same in whatever order they are written. */
export function queueOf(labels: readonly string[], { isDelegated = false } = {}): string {
  requireLabels(labels);
  return [isDelegated ? DELEGATED : "run", ...[...new Set(labels)].sort()].join(".");
}

/** Throws for what cannot be a label. */
export function requireLabels(labels: readonly string[]): void {
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong === undefined) return;
  throw new Error(
    `The label ${JSON.stringify(wrong)} must be of small letters, digits and hyphens`,
  );
}

/** Whether a machine with these labels may take from the queue. */
export function suits(queue: string, labels: ReadonlySet<string>): boolean {
  const [base, ...needed] = queue.split(".");
  return (base === "run" || base === DELEGATED) && needed.every((label) => labels.has(label));
}

/** Whether the executions of the queue are waited for by others. */
export function isOfDelegated(queue: string): boolean {
  return queue.split(".")[0] === DELEGATED;
}
