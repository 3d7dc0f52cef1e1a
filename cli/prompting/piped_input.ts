// Reads a value, such as a key, from piped standard input.
import type { CliApp } from "../context/app.ts";
import { listenToInterrupts } from "./interrupts.ts";

/** Reads the first line, trimmed. */
export async function readFirstLine(app: CliApp): Promise<string> {
  using interrupts = listenToInterrupts(app);
  await using lines = await app.input.openLines({ edited: false });
  return (await lines.read("", { signal: interrupts.first }))?.trim() ?? "";
}

/** Reads all lines, joined by line feeds. */
export async function readAllInput(app: CliApp): Promise<string> {
  using interrupts = listenToInterrupts(app);
  await using lines = await app.input.openLines({ edited: false });
  const read: string[] = [];
  for (;;) {
    const line = await lines.read("", { signal: interrupts.first });
    if (line === undefined) return read.join("\n");
    read.push(line);
  }
}
