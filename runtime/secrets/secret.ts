// Secrets: the variables that contain one, and the values that redaction hides.

/** A value that must not be shown, and its variable. */
export interface Secret {
  name: string;
  value: string;
}

/** Shorter values, in characters, are too common in ordinary text to be hidden. */
export const SHORTEST_SECRET = 8;

/**
 * Returns the parts of a value to hide: the whole, and each of its lines, because texts are also shown by line. Short
 * parts and the frame lines of a PEM text stay visible.
 */
export function hiddenParts(value: string): string[] {
  const whole = value.trim();
  return [...new Set([whole, ...whole.split(/[\r\n]+/).map((line) => line.trim())])]
    .filter((part) =>
      part.length >= SHORTEST_SECRET && !/^-----(BEGIN|END) [^-]+-----$/.test(part)
    );
}

/**
 * Returns whether a variable of this name holds a secret: `KEY`, `TOKEN`, `SECRET`, `PASSWORD`, or a name that ends with
 * `_` and one of them.
 */
export function isSecretName(name: string): boolean {
  return /(^|_)(KEY|TOKEN|SECRET|PASSWORD)$/i.test(name);
}
