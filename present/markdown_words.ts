// Converts the parts of Markdown that are shown as text: entities, and images, which are never loaded.

/** The entities that models write, with their characters. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&apos;": "'",
  "&nbsp;": "\u00a0",
};

/** Returns the text with its entities replaced by their characters. */
export function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|apos|nbsp|#39);/g, (name) => ENTITIES[name] ?? name);
}

/** Returns the text in place of an image: `[image: a chart]`. */
export function nameImage(text: string): string {
  return `[image: ${decodeEntities(text) || "without a name"}]`;
}
