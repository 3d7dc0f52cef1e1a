// Creates the part of CliApp that needs no runtime: terminals, input, clock, processes and the client of the service. These
// parts are imported by one module, because each import slows down the start of a command.
import { openSocketClient } from "../api/client/client.ts";
import type { CliApp } from "./context/app.ts";
import { CommandClock } from "./service/command_clock.ts";
import { openTerminal } from "./output/terminal.ts";
import { systemProcesses } from "./context/processes.ts";
import { selfCommand } from "./self_command.ts";
import { openInput } from "./prompting/system_input.ts";

export { isConfined } from "../base/denied_permission.ts";
export { ownDistribution } from "./context/distribution.ts";

/** Creates the part of CliApp that needs no runtime. `kind` is the value of the variable TERM. */
export function openSurroundings(
  { kind }: { kind: string | undefined },
): Pick<
  CliApp,
  | ("stdout" | "stderr" | "input" | "clock" | "processes" | "selfCommand")
  | ("connect" | "onInterrupt")
> {
  const clock = new CommandClock();
  const stdout = openTerminal("stdout", { kind });
  return {
    stdout,
    stderr: openTerminal("stderr", { kind }),
    input: openInput({ terminal: stdout, clock }),
    clock,
    processes: systemProcesses,
    selfCommand: selfCommand(),
    connect: ({ socketFile }) => openSocketClient(socketFile, "terminal"),
    onInterrupt(listener) {
      Deno.addSignalListener("SIGINT", listener);
      return () => Deno.removeSignalListener("SIGINT", listener);
    },
  };
}
