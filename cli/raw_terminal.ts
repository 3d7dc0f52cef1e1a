// Giving the terminal back as it was when a signal ends the process while keys are read one by one.
import process from "node:process";
import type { Terminal } from "./output/terminal.ts";

const ENDING_SIGNALS = ["SIGTERM", "SIGHUP"] as const;
/** Shows the cursor, and has pastes come unmarked again. */
const RESTORE = "\u001b[?25h\u001b[?2004l";

/** Until disposed, a signal that ends the process restores the terminal first. */
export function restoreOnSignal(terminal: Terminal): Disposable {
  const listeners = ENDING_SIGNALS.map((name) => {
    const listener = () => {
      process.stdin.setRawMode(false);
      terminal.write(`${RESTORE}\n`);
      stop();
      // Without a listener it does what it always does.
      Deno.kill(Deno.pid, name);
    };
    return { name, listener };
  });
  const stop = () => {
    for (const { name, listener } of listeners) Deno.removeSignalListener(name, listener);
  };
  for (const { name, listener } of listeners) Deno.addSignalListener(name, listener);
  return { [Symbol.dispose]: stop };
}
