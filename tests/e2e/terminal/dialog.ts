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

/** Returns a pattern for an open question: its diamond is filled, an answered question's is empty. */
function openQuestion(question: RegExp): RegExp {
  return new RegExp(`◆ {2}.*${question.source}`);
}
