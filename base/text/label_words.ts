// Writes node labels in sentences.

/** Returns `the label gpu` or `the labels gpu, linux`. */
export function toLabelWords(labels: readonly string[]): string {
  return `the label${labels.length === 1 ? "" : "s"} ${labels.join(", ")}`;
}
