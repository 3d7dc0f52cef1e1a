// Reads values, such as keys, from standard input that is piped.
import type { CliApp } from "../context/app.ts";
import { listenToInterrupts } from "./interrupts.ts";

/** Returns the first line of standard input, without spaces at its ends. Returns an empty text if there is no line. */
export async function readFirstLine(app: CliApp): Promise<string> {
  using interrupts = listenToInterrupts(app);
  await using lines = await app.input.openLines({ edited: false });
  return (await lines.read("", { signal: interrupts.first }))?.trim() ?? "";
}

/** Returns all lines of standard input, joined with line feeds. */
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
