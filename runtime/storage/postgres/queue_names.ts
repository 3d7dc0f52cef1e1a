// The names of queues, which contain the labels that a node needs.

/** The schema of pg-boss. */
export const QUEUE_SCHEMA = "inkling_queue";
/** The prefix for delegated executions, for which a parent waits. */
const DELEGATED_PREFIX = "delegated";
const LABEL = /^[a-z0-9-]+$/;

/** Returns the queue for agents with these labels, independent of their order. */
export function queueFor(labels: readonly string[], { isDelegated = false } = {}): string {
  requireLabels(labels);
  return [isDelegated ? DELEGATED_PREFIX : "run", ...[...new Set(labels)].sort()].join(".");
}

/** Throws for an invalid label. */
export function requireLabels(labels: readonly string[]): void {
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong === undefined) return;
  throw new Error(
    `The label ${JSON.stringify(wrong)} must be of small letters, digits and hyphens`,
  );
}

/** Reports if a node with these labels may fetch jobs of the queue. */
export function matchesLabels(queue: string, labels: ReadonlySet<string>): boolean {
  const [base, ...needed] = queue.split(".");
  return (base === "run" || base === DELEGATED_PREFIX) &&
    needed.every((label) => labels.has(label));
}

/** Reports if a parent waits for the executions of the queue. */
export function isDelegatedQueue(queue: string): boolean {
  return queue.split(".")[0] === DELEGATED_PREFIX;
}
