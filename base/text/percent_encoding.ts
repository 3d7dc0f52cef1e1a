// Decodes percent-encoded texts.

/** Returns the decoded text. A text that is not percent-encoded stays as it is. */
export function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
