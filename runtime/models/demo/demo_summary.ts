// The report that `demo/report` writes: plain counting, so that everybody can check it against the file.

/** A report on a text: the whole as Markdown, and its gist in a sentence or two. */
export interface TextSummary {
  report: string;
  gist: string;
}

/** Counts what a text holds: lines, words, headings and open items; of a table with commas also the columns' sums. */
export function summariseText(path: string, text: string): TextSummary {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const facts = /\.csv$/i.test(path) ? tableFacts(lines) : proseFacts(text, lines);
  const report = [`# Report on ${path}`, "", ...facts.map((fact) => `- ${fact}`), ""].join("\n");
  return { report, gist: `${path}: ${facts.slice(0, 3).join("; ")}.` };
}

function proseFacts(text: string, lines: string[]): string[] {
  const headings = lines.flatMap((line) => /^#{1,6}\s+(.+)$/.exec(line)?.[1] ?? []);
  const open = lines.flatMap((line) => /^\s*[-*] \[ \]\s+(.+)$/.exec(line)?.[1] ?? []);
  const done = lines.filter((line) => /^\s*[-*] \[x\]\s/i.test(line)).length;
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  return [
    `${words.length} words in ${lines.length} lines`,
    ...(open.length + done === 0 ? [] : [`${open.length} open items, ${done} done`]),
    ...(headings.length === 0 ? [] : [`Sections: ${headings.join(", ")}`]),
    ...open.map((item) => `Open: ${item}`),
    ...frequentWords(words),
  ];
}

function frequentWords(words: string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) {
    if (word.length >= 5) counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1);
  }
  const frequent = [...counts].filter(([, times]) => times > 1)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, 5);
  if (frequent.length === 0) return [];
  return [
    `Most frequent words: ${frequent.map(([word, times]) => `${word} (${times})`).join(", ")}`,
  ];
}

function tableFacts(lines: string[]): string[] {
  const [header, ...rows] = lines.map((line) => line.split(",").map((cell) => cell.trim()));
  const sums = (header ?? []).flatMap((name, column) => {
    const values = rows.map((row) => row[column] ?? "");
    if (values.length === 0 || !values.every((value) => /^-?\d+(\.\d+)?$/.test(value))) return [];
    const sum = values.reduce((total, value) => total + Number(value), 0);
    return [`Sum of ${name}: ${Number(sum.toFixed(6))}`];
  });
  return [`${rows.length} rows of ${(header ?? []).length} columns`, ...sums];
}
