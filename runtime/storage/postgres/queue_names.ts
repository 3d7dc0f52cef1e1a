// Creates and reads the names of queues. A name contains the labels that a node must have.

/** The database schema of pg-boss. */
export const QUEUE_SCHEMA = "inkling_queue";
/** The name prefix of queues for delegated executions, for which a parent waits. */
const DELEGATED_PREFIX = "delegated";
const LABEL = /^[a-z0-9-]+$/;

/** Returns the name of the queue for agents with these labels. The order of the labels does not matter. */
export function queueFor(labels: readonly string[], { isDelegated = false } = {}): string {
  requireLabels(labels);
  return [isDelegated ? DELEGATED_PREFIX : "run", ...[...new Set(labels)].sort()].join(".");
}

/** Throws an error if a label is invalid. */
export function requireLabels(labels: readonly string[]): void {
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong === undefined) return;
  throw new Error(
    `The label ${JSON.stringify(wrong)} must be of small letters, digits and hyphens`,
  );
}

/** Returns true if a node with these labels may fetch jobs of the queue. */
export function matchesLabels(queue: string, labels: ReadonlySet<string>): boolean {
  const [base, ...needed] = queue.split(".");
  return (base === "run" || base === DELEGATED_PREFIX) &&
    needed.every((label) => labels.has(label));
}

/** Returns true if the queue is for delegated executions. */
export function isDelegatedQueue(queue: string): boolean {
  return queue.split(".")[0] === DELEGATED_PREFIX;
}
