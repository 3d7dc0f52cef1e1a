// The limits that TriggerBreaker and WatchLoopDetector share.

/** How many runs of watches may cause each other. */
export const MAX_CHAIN = 20;

/** So long after a run has ended, the file system may still report its last writes. */
export const LATE_EVENT_MS = 1_000;
