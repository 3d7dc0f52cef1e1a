// What a secret is: which variables hold one, and which values can be hidden wherever they stand.

/** A value that must not be shown, and the variable it came from. */
export interface Secret {
  name: string;
  value: string;
}

/** Shorter values, in characters, are too common in ordinary text to be hidden everywhere. */
export const SHORTEST_SECRET = 8;

/** Whether a variable of this name holds a secret: `KEY`, `TOKEN`, `SECRET`, `PASSWORD`, or `_` and one of them at its end. */
export function isSecretName(name: string): boolean {
  return /(^|_)(KEY|TOKEN|SECRET|PASSWORD)$/i.test(name);
}
