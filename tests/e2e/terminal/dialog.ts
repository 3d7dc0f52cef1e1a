// A dialog at a real terminal: questions that are waited for, and what a person does at each.
import type { RealTerminal } from "./real_terminal.ts";

/** A question by a part of its text, and the answer to it: typed with Enter behind it, or keys. */
export interface Turn {
  question: RegExp;
  answer: string | readonly string[];
}

/** Answers questions one after the other, each when it is open. */
export async function converse(terminal: RealTerminal, turns: readonly Turn[]): Promise<void> {
  for (const { question, answer } of turns) {
    await terminal.waitFor(openQuestion(question));
    if (typeof answer !== "string") await terminal.press(...answer);
    else {
      if (answer !== "") await terminal.type(answer);
      await terminal.press("Enter");
    }
  }
}

/** Waits until a question is open, and presses Ctrl+C. */
export async function interruptAt(terminal: RealTerminal, question: RegExp): Promise<void> {
  await terminal.waitFor(openQuestion(question));
  await terminal.press("C-c");
}

/** An open question has a filled diamond before it; an answered one an empty one. */
function openQuestion(question: RegExp): RegExp {
  return new RegExp(`◆ {2}.*${question.source}`);
}
