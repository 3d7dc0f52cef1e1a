// What a secret is: which variables hold one, and which values can be hidden wherever they stand.

/** A value that must not be shown, and the variable it came from. */
export interface Secret {
  name: string;
  value: string;
}

/** Shorter values, in characters, are too common in ordinary text to be hidden everywhere. */
export const SHORTEST_SECRET = 8;

/**
 * What of a value is hidden: all of it, and each of its lines, because a text is also read and shown by lines. Only what is
 * long enough; the lines that frame a PEM text say no more than what kind it is.
 */
export function hiddenParts(value: string): string[] {
  const whole = value.trim();
  return [...new Set([whole, ...whole.split(/[\r\n]+/).map((line) => line.trim())])]
    .filter((part) =>
      part.length >= SHORTEST_SECRET && !/^-----(BEGIN|END) [^-]+-----$/.test(part)
    );
}

/** Whether a variable of this name holds a secret: `KEY`, `TOKEN`, `SECRET`, `PASSWORD`, or `_` and one of them at its end. */
export function isSecretName(name: string): boolean {
  return /(^|_)(KEY|TOKEN|SECRET|PASSWORD)$/i.test(name);
}
