// The limit that TriggerBreaker and WatchLoopDetector share.

/** How many runs of watches may cause each other. */
export const MAX_CHAIN = 20;
