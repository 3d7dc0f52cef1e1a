// A real terminal with the real program in it: tmux draws it, a test types and reads what stands there.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type RealHome, untilFound } from "../real_process.ts";

const text = new TextDecoder();

function toAssignments(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

/** A test that needs tmux; without it, it is skipped and says so. */
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

/** The program is started, and behind its end come its exit code and how it left the terminal. Ctrl+C is its alone. */
const WRAPPER = `trap : INT
sh -c 'echo $$ > "$PID_FILE"; exec "$@"' sh "$@"
echo "[exit $?]"
stty -a | tr ';' '\\n' | grep -o -E ' -?(icanon|echo) ' | tr -d '\\n'
echo "[end]"
sleep 600`;

export class RealTerminal implements AsyncDisposable {
  readonly #socket: string;
  readonly #pidFile: string;

  private constructor(home: RealHome) {
    // A server that ends does not let go of its socket at once: the next terminal needs another.
    this.#socket = join(home.root, `tmux-${crypto.randomUUID().slice(0, 8)}.sock`);
    this.#pidFile = join(home.root, "terminal.pid");
  }

  /** A terminal in which a command runs. `record` names a file that gets what the program writes, byte for byte. */
  static async open(
    home: RealHome,
    args: readonly string[],
    options: {
      columns?: number;
      env?: Record<string, string>;
      record?: string;
      /** Another one than ours. */
      program?: readonly string[];
    } = {},
  ): Promise<RealTerminal> {
    const { columns = 100, env = {}, record } = options;
    const command = options.program === undefined
      ? await home.command(args, { env })
      : [...options.program, ...args];
    const terminal = new RealTerminal(home);
    const wrapper = join(home.root, "wrapper.sh");
    await Deno.writeTextFile(wrapper, WRAPPER);
    await terminal.#tmux(
      [
        ...["-f", "/dev/null", "-u", "new-session", "-d", "-x", String(columns), "-y", "60"],
        ...["-c", home.root],
      ],
      // The terminal names its own kind; `env` has the last word.
      ["sh", wrapper, "env", ...toAssignments(env), ...command],
      { ...home.environment(), LC_ALL: "C.UTF-8", PID_FILE: terminal.#pidFile },
    );
    if (record !== undefined) {
      await terminal.#tmux(["pipe-pane", "-o"], [`cat > '${record}'`]);
    }
    return terminal;
  }

  /** Presses keys as they are called: `Enter`, `C-c`, `Escape`. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux(["send-keys"], keys);
  }

  /** Types a text. */
  async type(text: string): Promise<void> {
    await this.#tmux(["send-keys", "-l"], [text]);
  }

  /** Pastes a text, marked as pasted where the program asks for that; `unmarked` is a terminal that cannot. */
  async paste(text: string, options: { unmarked?: boolean } = {}): Promise<void> {
    await this.#tmux(["set-buffer"], ["--", text]);
    await this.#tmux(["paste-buffer"], options.unmarked ? [] : ["-p", "-r"]);
  }

  /** Everything that was shown so far, without spaces at the ends of lines. */
  async read(): Promise<string> {
    const shown = await this.#tmux(["capture-pane", "-p", "-J", "-S", "-"]);
    return shown.replaceAll(/ +$/gm, "").trimEnd();
  }

  /** Waits until what is shown matches, and returns it. */
  async waitFor(pattern: RegExp): Promise<string> {
    let shown = "";
    try {
      return await untilFound(String(pattern), async () => {
        shown = await this.read();
        return pattern.test(shown) ? shown : undefined;
      });
    } catch (cause) {
      throw new Error(`Waited in vain for ${pattern}; the terminal shows:\n${shown}`, { cause });
    }
  }

  /** Waits for the end of the program: its exit code, and whether the terminal is as it was. */
  async ended(): Promise<{ code: number; isRestored: boolean; shown: string }> {
    const shown = await this.waitFor(/\[end\]/);
    return {
      code: Number(/\[exit (\d+)\]/.exec(shown)?.[1]),
      isRestored: / icanon /.test(shown) && / echo /.test(shown),
      shown,
    };
  }

  /** Waits for the end of the program, checks its exit code and the restored terminal, and returns the screen. */
  async endsWith(expected: number): Promise<string> {
    const { code, isRestored, shown } = await this.ended();
    assert.equal(code, expected, shown);
    assert.ok(isRestored, shown);
    return shown;
  }

  /** Sends the program a signal. */
  async signal(name: Deno.Signal): Promise<void> {
    Deno.kill(Number(await Deno.readTextFile(this.#pidFile)), name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux(["kill-server"]);
  }

  async #tmux(
    command: readonly string[],
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-S", this.#socket, ...command, ...args],
      env: { ...env },
      stdin: "null",
    }).output();
    if (!success) throw new Error(`tmux ${command.join(" ")}: ${text.decode(stderr)}`);
    return text.decode(stdout);
  }
}
