// Runs a program to its end.

/** The exit status and the output of a program. */
export interface CommandResult {
  success: boolean;
  stdout: string;
  stderr: string;
}

/** Runs a program with empty standard input and without colors, and returns its output. */
export async function runCommand(
  [program = "", ...args]: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<CommandResult> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd: options.cwd,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...options.env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  return { success, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Returns the program's last lines of output, to be appended to an error message. */
export function lastOutput({ stdout, stderr }: CommandResult): string {
  // Remove Deno's stack trace, which contains no names in a release build.
  const [said = ""] = `${stdout}\n${stderr}`.split("\nStack backtrace:");
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-12).join("\n") || "it said nothing";
}
