// Standard input as a value: a key, a text.
import type { CliApp } from "../app.ts";
import { listenToInterrupts } from "./interrupts.ts";

/** Its first line, without blanks around it. */
export async function readFirstLine(app: CliApp): Promise<string> {
  using interrupts = listenToInterrupts(app);
  await using lines = await app.input.openLines({ edited: false });
  return (await lines.read("", { signal: interrupts.first }))?.trim() ?? "";
}

/** All of it; line ends are line feeds. */
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
