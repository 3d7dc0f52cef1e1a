// The standard input of this process. The line editor and the prompts are loaded on first use.
import type { Clock } from "../context/app.ts";
import type { Input } from "../context/input.ts";
import type { Terminal } from "../output/terminal.ts";
import { TerminalPrompter } from "./prompts.ts";

/** Opens standard input, with prompts drawn on `terminal`. */
export function openInput(options: { terminal: Terminal; clock: Clock }): Input {
  return {
    isTerminal: Deno.stdin.isTerminal(),
    prompter: new TerminalPrompter(options),
    mute() {
      // Ctrl+C and Ctrl+Z still send their signals.
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
