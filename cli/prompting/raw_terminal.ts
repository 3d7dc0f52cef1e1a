// Giving the terminal back as it was when a signal ends the process while keys are read one by one.
import process from "node:process";
import type { Terminal } from "../output/terminal.ts";
import { beforeEnding } from "./terminal_signals.ts";

/** Shows the cursor, and has pastes come unmarked again. */
const RESTORE = "\u001b[?25h\u001b[?2004l";

/** Until disposed, a signal that ends the process restores the terminal first. */
export function restoreOnSignal(terminal: Terminal): Disposable {
  return beforeEnding(() => {
    process.stdin.setRawMode(false);
    terminal.write(`${RESTORE}\n`);
  });
}
