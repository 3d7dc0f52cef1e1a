// What is wrong in an agent file, in a line.

/** `Line 3: Unknown key triger: it is ignored (did you mean "trigger"?)`. */
export function describeFault(
  { line, message, hint }: { line: number; message: string; hint: string | null },
): string {
  return `Line ${line}: ${message}${hint === null ? "" : ` (${hint})`}`;
}
