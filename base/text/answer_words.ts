// Reads a person's words as the answer to a question.

/** A question, as far as its answer in words depends on it. */
export interface AskedInWords {
  kind: "confirm" | "input" | "choice";
  options: readonly string[] | null;
  multi: boolean;
}

/** The answer that words give. */
export type AnswerInWords = { text: string } | { approved: boolean } | { selected: string[] };

const YES = /^(y|yes|yeah|ok|okay|sure|approve|approved)$/i;
const NO = /^(n|no|nope|deny|denied|reject)$/i;

/** Returns the answer in a person's words, or undefined if the words do not fit the question. */
export function readAnswer(
  { kind, options, multi }: AskedInWords,
  words: string,
): AnswerInWords | undefined {
  const text = words.trim();
  if (kind === "input") return { text };
  if (kind === "confirm") {
    const word = text.replace(/[.!]+$/, "");
    return YES.test(word) ? { approved: true } : NO.test(word) ? { approved: false } : undefined;
  }
  const chosen = (word: string) =>
    (options ?? []).find((option, index) =>
      option.toLowerCase() === word.toLowerCase() || word.replace(/\.$/, "") === `${index + 1}`
    );
  const whole = chosen(text);
  const selected = whole !== undefined || !multi
    ? [whole]
    : text.split(/[,\n]/).map((word) => chosen(word.trim()));
  return selected.every((one) => one !== undefined) ? { selected } : undefined;
}
