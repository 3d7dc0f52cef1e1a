// Restores the terminal's normal mode when a signal ends the process in raw mode.
import process from "node:process";
import type { Terminal } from "../output/terminal.ts";
import { beforeEnding } from "./terminal_signals.ts";

/** The control sequence that shows the cursor and ends the marking of pastes. */
const RESTORE = "\u001b[?25h\u001b[?2004l";

/** Restores the normal mode of the terminal before SIGTERM or SIGHUP ends the process, until disposed. */
export function restoreOnSignal(terminal: Terminal): Disposable {
  return beforeEnding(() => {
    process.stdin.setRawMode(false);
    terminal.write(`${RESTORE}\n`);
  });
}
