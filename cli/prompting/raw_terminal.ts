// Restores the terminal when a signal ends the process in raw mode.
import process from "node:process";
import type { Terminal } from "../output/terminal.ts";
import { beforeEnding } from "./terminal_signals.ts";

/** Shows the cursor, and turns off the marks of pastes. */
const RESTORE = "\u001b[?25h\u001b[?2004l";

/** Restores the terminal before a signal ends the process, until disposed. */
export function restoreOnSignal(terminal: Terminal): Disposable {
  return beforeEnding(() => {
    process.stdin.setRawMode(false);
    terminal.write(`${RESTORE}\n`);
  });
}
