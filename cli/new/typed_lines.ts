// A text of several lines, typed or pasted at the terminal.
import type { CommandContext } from "../context.ts";
import { listenToInterrupts } from "../interrupts.ts";

const PROMPT = "> ";

/**
 * The lines up to Ctrl+D. Decision: empty lines end nothing, because a terminal that does not mark pastes would have the
 * first gap of a pasted text cut off the rest. Rejects with Interrupted at Ctrl+C.
 */
export async function readTypedLines({ app }: CommandContext): Promise<string> {
  using interrupts = listenToInterrupts(app);
  await using lines = await app.input.openLines({ edited: true });
  const typed: string[] = [];
  for (;;) {
    const line = await lines.read(PROMPT, { signal: interrupts.first });
    if (line === undefined) return typed.join("\n");
    typed.push(line);
  }
}
