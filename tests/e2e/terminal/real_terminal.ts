// Runs the program in a real terminal: tmux draws it, and a test types and reads the screen.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { RealHome } from "../real_process.ts";
import { TmuxClient } from "./tmux_client.ts";

/** A time limit far above the duration of any step on a loaded machine. */
const PATIENCE_MS = 120_000;

function toAssignments(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

/** Registers a test that needs tmux; without tmux it is skipped with a note. */
export function testInTerminal(name: string, test: () => Promise<void>): void {
  if (hasTmux()) Deno.test(name, test);
  else Deno.test.ignore(`${name} (skipped: tmux is not installed)`, test);
}

function hasTmux(): boolean {
  try {
    return new Deno.Command("tmux", { args: ["-V"] }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * A shell script that runs the program, and then prints the exit code and the terminal's state. It ignores Ctrl+C, which
 * only the program gets.
 */
const WRAPPER = `trap : INT
sh -c 'echo $$ > "$PID_FILE"; exec "$@"' sh "$@"
echo "[exit $?]"
stty -a | tr ';' '\\n' | grep -o -E ' -?(icanon|echo) ' | tr -d '\\n'
echo "[end]"
sleep 600`;

export class RealTerminal implements AsyncDisposable {
  readonly #socket: string;
  readonly #pidFile: string;
  readonly #client: TmuxClient;

  private constructor(options: { socket: string; pidFile: string }) {
    this.#socket = options.socket;
    this.#pidFile = options.pidFile;
    this.#client = new TmuxClient(this.#socket);
  }

  /** Opens a terminal that runs a command. The file `record` receives the unchanged bytes of the output. */
  static async open(
    home: RealHome,
    args: readonly string[],
    options: {
      columns?: number;
      env?: Record<string, string>;
      record?: string;
      /** A program to run instead of Inkling. */
      program?: readonly string[];
    } = {},
  ): Promise<RealTerminal> {
    const { columns = 100, env = {}, record } = options;
    const command = options.program === undefined
      ? await home.command(args, { env })
      : [...options.program, ...args];
    // Each terminal has its own tmux socket, because a stopped tmux server does not release its socket at once.
    const socket = join(home.root, `tmux-${crypto.randomUUID().slice(0, 8)}.sock`);
    const pidFile = join(home.root, "terminal.pid");
    const wrapper = join(home.root, "wrapper.sh");
    await Deno.writeTextFile(wrapper, WRAPPER);
    const size = ["-x", String(columns), "-y", "60"];
    await startTmux(
      [
        ...["-S", socket, "-f", "/dev/null", "-u", "new-session", "-d", ...size, "-c", home.root],
        // tmux sets TERM, so `env` sets the test's value.
        ...["sh", wrapper, "env", ...toAssignments(env), ...command],
      ],
      { ...home.environment(), LC_ALL: "C.UTF-8", PID_FILE: pidFile },
    );
    const terminal = new RealTerminal({ socket, pidFile });
    if (record !== undefined) await terminal.#client.run("pipe-pane", "-o", `cat > '${record}'`);
    return terminal;
  }

  /** Presses keys by their names: `Enter`, `C-c`, `Escape`. */
  async press(...keys: string[]): Promise<void> {
    await this.#client.run("send-keys", ...keys);
  }

  /** Types a text at the terminal. */
  async type(text: string): Promise<void> {
    await this.#client.run("send-keys", "-l", text);
  }

  /** Pastes a text. The terminal sends paste marks if the program requests them, except with `unmarked`. */
  async paste(text: string, options: { unmarked?: boolean } = {}): Promise<void> {
    await startTmux(["-S", this.#socket, "set-buffer", "--", text]);
    await this.#client.run("paste-buffer", ...options.unmarked ? [] : ["-p", "-r"]);
  }

  /** Returns the screen with its scrolled-off lines, without spaces at line ends. `colors` adds escape sequences. */
  async read({ colors = false }: { colors?: boolean } = {}): Promise<string> {
    const command = ["capture-pane", "-p", "-J", "-S", "-", ...colors ? ["-e"] : []];
    const shown = await this.#client.run(...command);
    return shown.replaceAll(/ +$/gm, "").trimEnd();
  }

  /** Waits until the screen matches, and returns the screen. */
  async waitFor(pattern: RegExp): Promise<string> {
    const isLate = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => isLate.resolve(true), PATIENCE_MS);
    try {
      for (;;) {
        const { nextOutput } = this.#client;
        const shown = await this.read();
        if (pattern.test(shown)) return shown;
        if (await Promise.race([isLate.promise, nextOutput])) {
          throw new Error(`Waited in vain for ${pattern}; it shows:\n${await this.read()}`);
        }
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits until the program ends. Returns its exit code, the screen, and true if the terminal was restored. */
  async ended(): Promise<{ code: number; isRestored: boolean; shown: string }> {
    const shown = await this.waitFor(/\[end\]/);
    return {
      code: Number(/\[exit (\d+)\]/.exec(shown)?.[1]),
      isRestored: / icanon /.test(shown) && / echo /.test(shown),
      shown,
    };
  }

  /** Waits until the program ends, checks its exit code and the restored terminal, and returns the screen. */
  async endsWith(expected: number): Promise<string> {
    const { code, isRestored, shown } = await this.ended();
    assert.equal(code, expected, shown);
    assert.ok(isRestored, shown);
    return shown;
  }

  /** Sends a signal to the program. */
  async signal(name: Deno.Signal): Promise<void> {
    Deno.kill(Number(await Deno.readTextFile(this.#pidFile)), name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}

async function startTmux(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { success, stderr } = await new Deno.Command("tmux", {
    args: [...args],
    env: { ...env },
    stdin: "null",
  }).output();
  if (!success) throw new Error(`tmux ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}
