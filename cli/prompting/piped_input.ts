// Reads lines of standard input, which are piped or which the user types.
import type { CliApp } from "../context/app.ts";
import { listenToInterrupts } from "./interrupts.ts";

/** Returns the first line of standard input, without spaces at its ends. Returns an empty text if there is no line. */
export async function readFirstLine(app: CliApp): Promise<string> {
  using interrupts = listenToInterrupts(app);
  await using lines = await app.input.openLines({ edited: false });
  return (await lines.read("", { signal: interrupts.first }))?.trim() ?? "";
}

/**
 * Returns all lines of standard input, joined with line feeds. With `edited` the user types them after a prompt, until
 * Ctrl+D, which also works at the end of a non-empty line. Decision: an empty line does not end the text, because a pasted
 * text may contain empty lines and some terminals do not mark pastes. Rejects with Interrupted at Ctrl+C.
 */
export async function readAllInput(app: CliApp, { edited = false } = {}): Promise<string> {
  using interrupts = listenToInterrupts(app);
  await using lines = await app.input.openLines({ edited, endsInLine: edited });
  const read: string[] = [];
  for (;;) {
    const line = await lines.read(edited ? "> " : "", { signal: interrupts.first });
    if (line === undefined) return read.join("\n");
    read.push(line);
  }
}
