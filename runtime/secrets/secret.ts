// Defines secrets: the names of variables that contain one, and the parts of values that redaction hides.

/** A value that must not be shown, and the name of its variable. */
export interface Secret {
  name: string;
  value: string;
}

/** The minimum length of a redacted value, in characters. Shorter values are too common in ordinary text. */
export const SHORTEST_SECRET = 8;

/**
 * Returns the parts of a value that are redacted: the whole value, and each of its lines, because texts are also shown line
 * by line. Excludes short parts, and the first and last line of a PEM text.
 */
export function hiddenParts(value: string): string[] {
  const whole = value.trim();
  return [...new Set([whole, ...whole.split(/[\r\n]+/).map((line) => line.trim())])]
    .filter((part) =>
      part.length >= SHORTEST_SECRET && !/^-----(BEGIN|END) [^-]+-----$/.test(part)
    );
}

/**
 * Returns true if the name marks a variable as secret: `KEY`, `TOKEN`, `SECRET`, `PASSWORD`, or a name that ends with `_`
 * and one of these words.
 */
export function isSecretName(name: string): boolean {
  return /(^|_)(KEY|TOKEN|SECRET|PASSWORD)$/i.test(name);
}
