// Standard input of this process. What it takes to edit a line or to draw a prompt is loaded when it is needed.
import type { Clock } from "../app.ts";
import type { Input } from "./input.ts";
import type { Terminal } from "../output/terminal.ts";
import { TerminalPrompter } from "./prompts.ts";

/** Standard input, with prompts drawn on `terminal`. */
export function openInput(options: { terminal: Terminal; clock: Clock }): Input {
  return {
    isTerminal: Deno.stdin.isTerminal(),
    prompter: new TerminalPrompter(options),
    mute() {
      // Keys that make signals still make them.
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
