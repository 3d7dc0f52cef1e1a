// A text of several lines, typed or pasted at the terminal.
import type { CommandContext } from "../context.ts";
import { listenToInterrupts } from "../prompting/interrupts.ts";

const PROMPT = "> ";

/**
 * The text up to Ctrl+D, which may be pressed in a line. Decision: an empty line ends nothing, because at a terminal that
 * does not mark pastes the first gap of a pasted text would cut off the rest. Rejects with Interrupted at Ctrl+C.
 */
export async function readTypedLines({ app }: CommandContext): Promise<string> {
  using interrupts = listenToInterrupts(app);
  await using lines = await app.input.openLines({ edited: true, endsInLine: true });
  const typed: string[] = [];
  for (;;) {
    const line = await lines.read(PROMPT, { signal: interrupts.first });
    if (line === undefined) return typed.join("\n");
    typed.push(line);
  }
}
