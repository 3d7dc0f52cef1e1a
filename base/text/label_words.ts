// Labels of nodes as a sentence names them.

/** `the label gpu`, `the labels gpu, linux`. */
export function toLabelWords(labels: readonly string[]): string {
  return `the label${labels.length === 1 ? "" : "s"} ${labels.join(", ")}`;
}
