// A run that is tried again, in words: the same in logs, on a terminal and on the page.

/** When a run is tried again after a failure. */
export interface ShownRetry {
  /** Milliseconds since the epoch, or a timestamp. */
  at: number | string;
  /** 1-based. */
  attempt: number;
  of: number;
  reason: string;
}

/** `tries again at 08:10 (2 of 3): Cannot reach openai`, in local time. */
export function toRetryWords({ at, attempt, of, reason }: ShownRetry): string {
  const date = new Date(at);
  const [hours, minutes] = [date.getHours(), date.getMinutes()]
    .map((part) => String(part).padStart(2, "0"));
  return `tries again at ${hours}:${minutes} (${attempt} of ${of}): ${reason}`;
}

/** The same as a sentence. */
export function toRetrySentence(retry: ShownRetry): string {
  return `T${toRetryWords(retry).slice(1)}`;
}

/** Whether an entry of a log says that its run is tried again later. */
export function isRetryNotice(text: string): boolean {
  return /^Tries again at \d\d:\d\d \(/.test(text);
}
