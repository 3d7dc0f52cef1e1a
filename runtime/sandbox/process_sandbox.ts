// Puts the programs that agents start into the sandbox: detects the system's sandbox, and applies the setting `sandbox`.
import { isInstalled } from "../../base/files/installed_program.ts";
import { type Bubblewrap, bubblewrapCommand, type ResolvedRules } from "./bubblewrap.ts";
import {
  type SandboxedProgram,
  SandboxFailure,
  type SandboxMode,
  type SandboxRules,
} from "./sandbox_rules.ts";
import { findSandbox, NO_BRIDGE, type SandboxSupport } from "./sandbox_support.ts";

/** The options of ProcessSandbox. */
export interface ProcessSandboxOptions {
  /** Returns the current value of the setting `sandbox`. */
  mode(): SandboxMode;
  /** The user's home folder. */
  home: string;
  /** Detects the system's sandbox. Called once, before the first program starts. Default: findSandbox(). */
  find?: () => Promise<SandboxSupport>;
  /** Called if programs run without the preferred sandbox, once for each sentence about it. */
  onMissing?: (sentence: string) => void;
}

/** The sandbox of the programs that agents start. */
export class ProcessSandbox {
  readonly #options: ProcessSandboxOptions;
  #support: Promise<SandboxSupport> | undefined;
  readonly #reported = new Set<string>();

  constructor(options: ProcessSandboxOptions) {
    this.#options = options;
  }

  /** True unless the setting `sandbox` is `off`. */
  get isWanted(): boolean {
    return this.#options.mode() !== "off";
  }

  /** True if the setting `sandbox` is `required`, so that no program may start without a sandbox. */
  get isRequired(): boolean {
    return this.#options.mode() === "required";
  }

  /** Returns true if programs will run in a sandbox. */
  async isAvailable(): Promise<boolean> {
    return this.isWanted && "bubblewrap" in await this.support();
  }

  /** Returns the system's sandbox, or the reason that there is none. Ignores the setting. */
  support(): Promise<SandboxSupport> {
    const { find = () => findSandbox() } = this.#options;
    return this.#support ??= find();
  }

  /**
   * Returns the command that runs a program in the sandbox. Returns the program unchanged if the setting is `off`, or if
   * the sandbox is preferred and missing. Throws SandboxFailure.
   */
  async confine(program: SandboxedProgram, rules: SandboxRules): Promise<SandboxedProgram> {
    const { mode, home } = this.#options;
    const wanted = mode();
    if (wanted === "off") return program;
    const support = await this.support();
    if ("bubblewrap" in support) {
      // Without this check, the error about a missing program would come from a program inside the sandbox, with another
      // text.
      const { cwd, environment: { PATH: path } } = program;
      if (!isInstalled(program.program, { path, cwd })) {
        throw new SandboxFailure("program_missing", "it is not installed");
      }
      return bubblewrapCommand(program, { ...rules, net: this.#openNet(rules, support) }, {
        ...support,
        home,
      });
    }
    this.#continueWithout(describeMissing(support, wanted));
    return program;
  }

  #openNet(
    { net }: SandboxRules,
    { bubblewrap }: { bubblewrap: Bubblewrap },
  ): ResolvedRules["net"] {
    if (typeof net === "string") return net;
    if (bubblewrap.bridge !== undefined) return net();
    this.#continueWithout(describeMissingBridge(this.isRequired ? "required" : "preferred"));
    return "host";
  }

  /** Reports a missing sandbox or proxy, once for each sentence. Throws SandboxFailure if the sandbox is required. */
  #continueWithout(sentence: string): void {
    if (this.isRequired) throw new SandboxFailure("no_sandbox", sentence);
    if (!this.#reported.has(sentence)) this.#options.onMissing?.(sentence);
    this.#reported.add(sentence);
  }
}

/** Returns a sentence about a missing sandbox: the reason, the consequence, and the remedy. */
export function describeMissing(
  { problem, remedy }: Extract<SandboxSupport, { problem: string }>,
  mode: Exclude<SandboxMode, "off">,
): string {
  return mode === "required"
    ? `No program can be started: config.yaml says "sandbox: required", and ${problem}. To get one, ${remedy}.`
    : `Skills' scripts, commands, MCP servers and custom tools run without a sandbox: ${problem}. To get one, ${remedy}.`;
}

/** Returns a sentence about programs that cannot be limited to hosts: the reason, the consequence, and the remedy. */
export function describeMissingBridge(mode: Exclude<SandboxMode, "off">): string {
  const { problem, remedy } = NO_BRIDGE;
  return mode === "required"
    ? `No program can be limited to the hosts of its entry: config.yaml says "sandbox: required", and ${problem}. To limit it, ${remedy}.`
    : `MCP servers with network access can reach every host: ${problem}. To limit them to the hosts of their entries, ${remedy}.`;
}
