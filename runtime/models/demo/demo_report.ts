// Calculates the replies of `demo/report` and `demo/echo` from the conversation. The report is calculated from real tool
// results.
import { formatPlural } from "../../../base/text/plural.ts";
import type { DemoStep } from "./demo_script.ts";
import type { DemoTurn } from "./demo_turn.ts";

/** Returns a reply that repeats the text of the user message. */
export function echoStep(turn: DemoTurn): DemoStep {
  return say(turn.userText);
}

/**
 * Returns the next reply of a report: a call that reads the first file in the task, a call that writes the report, or the
 * answer with its summary.
 */
export function reportStep(turn: DemoTurn): DemoStep {
  const [source, target] = filesOf(turn);
  if (source === undefined) {
    return say(
      "I am the demo model: I read a file and write a report on it. " +
        "Name the file in the task, for example `notes.md`.",
    );
  }
  const [read, written] = turn.results;
  if (read === undefined) {
    return say(`I will read ${source} first.`, {
      name: "file_read",
      arguments: { path: source, with_line_numbers: false },
    });
  }
  if (read.isError) return say(`I could not read ${source}. ${read.content}`);
  const { report, gist } = summariseText(source, read.content);
  if (written === undefined) {
    return say(`I have read ${source} and will write the report to ${target}.`, {
      name: "file_write",
      arguments: { path: target, content: report },
    });
  }
  if (written.isError) return say(`${gist}\n\nI could not write ${target}. ${written.content}`);
  return say(`${gist}\n\nThe report is in ${target}.`);
}

/**
 * Returns the file to read, if one is named, and the file to write. Files in the user message take precedence over files in
 * the task.
 */
function filesOf(turn: DemoTurn): [source: string | undefined, target: string] {
  const words = `${turn.userText}\n${turn.task}`.split(/[\s`"'()<>,;]+/);
  const files = words.map((word) => word.replace(/[.:!?]+$/, ""))
    .filter((word) => /^[\p{L}\p{N}_{}~./-]+\.[a-z][a-z0-9]{1,4}$/iu.test(word));
  const [source, target] = [...new Set(files)];
  return [source, target ?? "report.md"];
}

function say(text: string, ...call: NonNullable<DemoStep["call"]>): DemoStep {
  return { say: text, ...(call.length > 0 && { call }) };
}

/**
 * Returns a summary of a text in one or two sentences, and a report in Markdown. The report has the number of lines, words,
 * headings and open items of a text, or the rows and column sums of a CSV table.
 */
function summariseText(path: string, text: string): { report: string; gist: string } {
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
    `${formatPlural(words.length, "word")} in ${formatPlural(lines.length, "line")}`,
    ...(open.length + done === 0
      ? []
      : [`${formatPlural(open.length, "open item")}, ${done} done`]),
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
  const columns = formatPlural((header ?? []).length, "column");
  return [`${formatPlural(rows.length, "row")} of ${columns}`, ...sums];
}
