// Starts programs of the system for short work, at the user's terminal, or for longer than this process.

/** The command and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** The surroundings of a started program. */
export interface Surroundings {
  /** The program's environment variables; it inherits no others. Undefined: it inherits those of this process. */
  environment?: Readonly<Record<string, string>> | undefined;
  /** The working folder. Default: that of this process. */
  cwd?: string;
}

/**
 * Runs a program without input to its end, and returns its exit status and output. An abort of `signal` kills the program
 * and rejects with the signal's reason. Throws Deno's error if the program cannot be started.
 */
export async function runToEnd(
  command: Command,
  { signal, ...surroundings }: Surroundings & { signal?: AbortSignal } = {},
): Promise<Deno.CommandOutput> {
  signal?.throwIfAborted();
  const child = start(command, surroundings, {
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const kill = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", kill, { once: true });
  try {
    const output = await child.output();
    // A killed program's output and exit code are meaningless.
    signal?.throwIfAborted();
    return output;
  } finally {
    signal?.removeEventListener("abort", kill);
  }
}

/** Runs a program at the terminal of this process, and returns its exit status. Throws as runToEnd() does. */
export async function runAtTerminal(
  command: Command,
  surroundings: Surroundings,
): Promise<Deno.CommandStatus> {
  const terminal = { stdin: "inherit", stdout: "inherit", stderr: "inherit" } as const;
  return await start(command, surroundings, terminal).status;
}

/**
 * Starts a program in its own session, without input and output. The program does not get the
 * terminal's Ctrl+C, and continues when this process ends. Throws as runToEnd() does.
 */
export function startDetached(command: Command, surroundings: Surroundings): Deno.ChildProcess {
  return start(command, surroundings, {
    stdin: "null",
    stdout: "null",
    stderr: "null",
    detached: true,
  });
}

function start(
  [program, ...args]: Command,
  { environment, cwd }: Surroundings,
  options: Deno.CommandOptions,
): Deno.ChildProcess {
  return new Deno.Command(program, {
    args,
    ...cwd !== undefined && { cwd },
    ...environment !== undefined && { env: { ...environment }, clearEnv: true },
    ...options,
  }).spawn();
}
