// Parts of Markdown that are shown as text: entities, and pictures, which are never loaded.

/** The entities by name that models write. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&apos;": "'",
  "&nbsp;": "\u00a0",
};

/** The text with characters for its entities. */
export function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|apos|nbsp|#39);/g, (name) => ENTITIES[name] ?? name);
}

/** `[image: a chart]`: the name of a picture. */
export function nameImage(text: string): string {
  return `[image: ${decodeEntities(text) || "without a name"}]`;
}
