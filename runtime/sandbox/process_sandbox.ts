// The sandbox of programs that agents start: whether there is one, what is done without, and each program put into it.
import { resolve } from "node:path";
import { isMissing } from "../../base/files/missing.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { type Bubblewrap, bubblewrapCommand, type OpenedRules } from "./bubblewrap.ts";
import type { SandboxedProgram, SandboxMode, SandboxRules } from "./sandbox_rules.ts";
import { findSandbox, NO_BRIDGE, type SandboxSupport } from "./sandbox_support.ts";

/** No program is started: config.yaml asks for a sandbox, and there is none. */
export class SandboxMissing extends RuntimeError {
  readonly code: RuntimeErrorCode = "conflict";

  constructor(problem: string) {
    super(problem);
  }
}

/** The program that is to be started does not exist. */
export class ProgramMissing extends Error {
  override readonly name = "ProgramMissing";
}

/** What a sandbox is made of. */
export interface ProcessSandboxOptions {
  /** The setting as it is now. */
  mode(): SandboxMode;
  /** The user's home folder. */
  home: string;
  /** Finds out what the system can; asked once, when the first program is to be started. */
  find?: () => Promise<SandboxSupport>;
  /** Hears once, as a sentence, that programs run without a sandbox though one is preferred. */
  onMissing?: (sentence: string) => void;
}

/** Puts programs into the sandbox. */
export class ProcessSandbox {
  readonly #options: ProcessSandboxOptions;
  #support: Promise<SandboxSupport> | undefined;
  readonly #told = new Set<string>();

  constructor(options: ProcessSandboxOptions) {
    this.#options = options;
  }

  /** Whether programs are to be put into a sandbox where there is one. */
  get isWanted(): boolean {
    return this.#options.mode() !== "off";
  }

  /** Whether nothing may run without one. */
  get isRequired(): boolean {
    return this.#options.mode() === "required";
  }

  /** Whether programs run in a sandbox. */
  async isThere(): Promise<boolean> {
    return this.isWanted && "bubblewrap" in await this.support();
  }

  /** What there is on this system, whatever the setting says. */
  support(): Promise<SandboxSupport> {
    const { find = () => findSandbox() } = this.#options;
    return this.#support ??= find();
  }

  /**
   * What to start instead of a program, so that it runs in the sandbox; the program itself where the setting is off, or where
   * there is no sandbox and it is only preferred. Throws SandboxMissing where it is required, ProgramMissing, and
   * TooMuchToLookThrough.
   */
  async confine(program: SandboxedProgram, rules: SandboxRules): Promise<SandboxedProgram> {
    const { mode, home } = this.#options;
    const wanted = mode();
    if (wanted === "off") return program;
    const support = await this.support();
    if ("bubblewrap" in support) {
      // Inside, another program would say so, in its own words.
      if (!isInstalled(program)) throw new ProgramMissing(`${program.program} is not installed`);
      return bubblewrapCommand(program, { ...rules, net: this.#openNet(rules, support) }, {
        ...support,
        home,
      });
    }
    this.#goWithout(describeMissing(support, wanted));
    return program;
  }

  #openNet({ net }: SandboxRules, { bubblewrap }: { bubblewrap: Bubblewrap }): OpenedRules["net"] {
    if (typeof net === "string") return net;
    if (bubblewrap.bridge !== undefined) return net();
    this.#goWithout(describeMissingBridge(this.isRequired ? "required" : "preferred"));
    return "host";
  }

  /** Says so, once. Throws SandboxMissing where a sandbox is required. */
  #goWithout(sentence: string): void {
    if (this.isRequired) throw new SandboxMissing(sentence);
    if (!this.#told.has(sentence)) this.#options.onMissing?.(sentence);
    this.#told.add(sentence);
  }
}

/** Why there is no sandbox, what follows from that, and what to do. */
export function describeMissing(
  { problem, remedy }: Extract<SandboxSupport, { problem: string }>,
  mode: Exclude<SandboxMode, "off">,
): string {
  return mode === "required"
    ? `No program can be started: config.yaml says "sandbox: required", and ${problem}. To get one, ${remedy}.`
    : `Skills' scripts, MCP servers and custom tools run without a sandbox: ${problem}. To get one, ${remedy}.`;
}

/** Why programs are not held to some hosts, what follows from that, and what to do. */
export function describeMissingBridge(mode: Exclude<SandboxMode, "off">): string {
  const { problem, remedy } = NO_BRIDGE;
  return mode === "required"
    ? `No program can be held to the hosts that its entry names: config.yaml says "sandbox: required", and ${problem}. To hold it to them, ${remedy}.`
    : `MCP servers that may reach a host may reach all: ${problem}. To hold them to the hosts of their entries, ${remedy}.`;
}

function isInstalled({ program, cwd, environment }: SandboxedProgram): boolean {
  // Each system has its own idea of where to look then.
  if (environment["PATH"] === undefined && !program.includes("/")) return true;
  const places = program.includes("/")
    ? [resolve(cwd, program)]
    : (environment["PATH"] ?? "").split(":").map((folder) => resolve(cwd, folder, program));
  return places.some((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch (error) {
      // It cannot be told: then it is tried.
      return !isMissing(error);
    }
  });
}
