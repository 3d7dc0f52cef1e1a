// Tables in Markdown.

/** Returns a table. Escapes the separators in its cells. */
export function tableOf(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Returns a text as code. */
export function code(text: string | number): string {
  return `\`${text}\``;
}
