// A dialog at a real terminal: the expected questions and the user's answers.
import type { RealTerminal } from "./real_terminal.ts";

/** A part of a question's text, and the answer: a text, which Enter follows, or keys. */
export interface Turn {
  question: RegExp;
  answer: string | readonly string[];
}

/** Answers the questions in sequence, each when it is open. */
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

/** Returns a pattern for an open question: its diamond is filled, an answered question's is empty. */
function openQuestion(question: RegExp): RegExp {
  return new RegExp(`◆ {2}.*${question.source}`);
}
