// The sandbox of the programs that agents start: finds the system's sandbox, applies the setting, and confines each
// program.
import { resolve } from "node:path";
import { isMissing } from "../../base/files/missing.ts";
import { type Bubblewrap, bubblewrapCommand, type ResolvedRules } from "./bubblewrap.ts";
import {
  type SandboxedProgram,
  SandboxFailure,
  type SandboxMode,
  type SandboxRules,
} from "./sandbox_rules.ts";
import { findSandbox, NO_BRIDGE, type SandboxSupport } from "./sandbox_support.ts";

/** The settings and collaborators of a ProcessSandbox. */
export interface ProcessSandboxOptions {
  /** Returns the current `sandbox` setting. */
  mode(): SandboxMode;
  /** The user's home folder. */
  home: string;
  /** Detects the system's sandbox. Called once, before the first program starts. */
  find?: () => Promise<SandboxSupport>;
  /** Called once with a sentence when programs run without the preferred sandbox. */
  onMissing?: (sentence: string) => void;
}

/** Confines programs to the sandbox. */
export class ProcessSandbox {
  readonly #options: ProcessSandboxOptions;
  #support: Promise<SandboxSupport> | undefined;
  readonly #reported = new Set<string>();

  constructor(options: ProcessSandboxOptions) {
    this.#options = options;
  }

  /** True unless the setting is `off`. */
  get isWanted(): boolean {
    return this.#options.mode() !== "off";
  }

  /** True if the setting forbids programs without a sandbox. */
  get isRequired(): boolean {
    return this.#options.mode() === "required";
  }

  /** Returns true if programs run in a sandbox. */
  async isAvailable(): Promise<boolean> {
    return this.isWanted && "bubblewrap" in await this.support();
  }

  /** Returns the sandbox that this system has, regardless of the setting. */
  support(): Promise<SandboxSupport> {
    const { find = () => findSandbox() } = this.#options;
    return this.#support ??= find();
  }

  /**
   * Returns the command that runs a program in the sandbox. Returns the program itself when the setting is `off`, or when
   * the sandbox is preferred and missing. Throws SandboxFailure.
   */
  async confine(program: SandboxedProgram, rules: SandboxRules): Promise<SandboxedProgram> {
    const { mode, home } = this.#options;
    const wanted = mode();
    if (wanted === "off") return program;
    const support = await this.support();
    if ("bubblewrap" in support) {
      // Without this check, a program inside the sandbox would report the missing program in its own words.
      if (!isInstalled(program)) throw new SandboxFailure("program_missing", "it is not installed");
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

  /** Reports once that there is no sandbox. Throws SandboxFailure when one is required. */
  #continueWithout(sentence: string): void {
    if (this.isRequired) throw new SandboxFailure("no_sandbox", sentence);
    if (!this.#reported.has(sentence)) this.#options.onMissing?.(sentence);
    this.#reported.add(sentence);
  }
}

/** Describes why there is no sandbox, the consequence, and the remedy. */
export function describeMissing(
  { problem, remedy }: Extract<SandboxSupport, { problem: string }>,
  mode: Exclude<SandboxMode, "off">,
): string {
  return mode === "required"
    ? `No program can be started: config.yaml says "sandbox: required", and ${problem}. To get one, ${remedy}.`
    : `Skills' scripts, MCP servers and custom tools run without a sandbox: ${problem}. To get one, ${remedy}.`;
}

/** Describes why programs cannot be limited to hosts, the consequence, and the remedy. */
export function describeMissingBridge(mode: Exclude<SandboxMode, "off">): string {
  const { problem, remedy } = NO_BRIDGE;
  return mode === "required"
    ? `No program can be limited to the hosts of its entry: config.yaml says "sandbox: required", and ${problem}. To limit it, ${remedy}.`
    : `MCP servers with network access can reach every host: ${problem}. To limit them to the hosts of their entries, ${remedy}.`;
}

function isInstalled({ program, cwd, environment }: SandboxedProgram): boolean {
  // Without PATH each system searches in places of its own.
  if (environment["PATH"] === undefined && !program.includes("/")) return true;
  const places = program.includes("/")
    ? [resolve(cwd, program)]
    : (environment["PATH"] ?? "").split(":").map((folder) => resolve(cwd, folder, program));
  return places.some((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch (error) {
      // The check is not possible: starting the program decides.
      return !isMissing(error);
    }
  });
}
