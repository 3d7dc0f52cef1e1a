// Opens the standard input of this process. The line editor and the prompt package are imported when they are used.
import type { Clock } from "../context/app.ts";
import type { Input } from "../context/input.ts";
import type { Terminal } from "../output/terminal.ts";
import { TerminalPrompter } from "./prompts.ts";

/** Returns the standard input of this process. Prompts are drawn on `terminal`. */
export function openInput(options: { terminal: Terminal; clock: Clock }): Input {
  return {
    isTerminal: Deno.stdin.isTerminal(),
    prompter: new TerminalPrompter(options),
    mute() {
      // With `cbreak`, Ctrl+C and Ctrl+Z send their signals.
      Deno.stdin.setRaw(true, { cbreak: true });
      return { [Symbol.dispose]: () => Deno.stdin.setRaw(false) };
    },
    async openLines({ edited, endsInLine = false }) {
      if (edited) {
        const { LineEditor } = await import("./line_editor.ts");
        return new LineEditor(options.terminal, { endsInLine });
      }
      const { PlainLines } = await import("./plain_lines.ts");
      return new PlainLines(Deno.stdin.readable);
    },
  };
}
