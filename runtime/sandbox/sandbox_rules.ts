// The rules of a sandboxed program: the paths and hosts that it may reach. The enforcement lives elsewhere.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { isEnvFileName } from "../../base/files/env_file_name.ts";

/** The values of config.yaml's `sandbox` setting. */
export const SANDBOX_MODES = ["required", "preferred", "off"] as const;

/** `required` refuses to start a program without a sandbox; `preferred` starts it without one and logs that. */
export type SandboxMode = typeof SANDBOX_MODES[number];

/** Everything that one program may reach besides the system's programs and libraries. All paths are absolute. */
export interface SandboxRules {
  /** The program's own files, read-only. They are assumed to hold no keys. */
  programs?: readonly string[];
  /** Files and folders, with their content, that the program may read. */
  read: readonly string[];
  /** Files and folders, with their content, that the program may read and write. */
  write: readonly string[];
  /** Paths that stay hidden, even inside of the other paths. A path in `read` or `write` below one of these is still open. */
  closed: readonly string[];
  /** A folder mounted as the user's home. Absent: an empty home that is removed with the program. */
  home?: string;
  /**
   * `host`: the machine's network without limits. A function: opens a proxy for this program and returns its route. It is
   * called only when the system can limit the program to the proxy.
   */
  net: "none" | "host" | (() => ProxyRoute);
}

/** The route from the sandbox to an HTTP proxy outside. */
export interface ProxyRoute {
  /** The Unix socket that the proxy listens on. */
  socketFile: string;
  /** `user:password` of this program, as in a URL. */
  credentials: string;
}

/** A program to start. */
export interface SandboxedProgram {
  /** A name to find in PATH, or a path. */
  program: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  /** The whole environment; nothing is inherited. */
  environment: Readonly<Record<string, string>>;
}

/** The maximum number of folder entries that are scanned for files with keys. */
const MAX_ENTRIES = 200_000;

/** Error: a program cannot be put into the sandbox. The message of `no_sandbox` is a sentence, the others' the end of one. */
export class SandboxFailure extends RuntimeError {
  readonly code: RuntimeErrorCode = "conflict";
  readonly kind: "no_sandbox" | "program_missing" | "too_many_files";

  constructor(kind: SandboxFailure["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Returns the current `.env` files in these folders. The sandbox knows paths, not names, so they must be listed. Symbolic
 * links are not followed: their targets are in the sandbox only when they lie in one of the folders. Throws
 * SandboxFailure.
 */
export function findEnvFiles(folders: readonly string[]): string[] {
  const found: string[] = [];
  let entries = 0;
  const look = (folder: string): void => {
    try {
      for (const { name, isDirectory, isSymlink } of Deno.readDirSync(folder)) {
        if (++entries > MAX_ENTRIES) throw tooManyFiles();
        const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
        if (isEnvFileName(name)) {
          if (!isSymlink) found.push(path);
        } else if (isDirectory) look(path);
      }
    } catch (error) {
      if (error instanceof SandboxFailure) throw error;
      // The folder is gone, is a file, or is closed to this user. A path that only Deno's flags close would be open in the
      // sandbox.
      if (!(error instanceof Error) || error instanceof Deno.errors.NotCapable) throw error;
    }
  };
  for (const folder of folders) look(folder);
  return found;
}

function tooManyFiles(): SandboxFailure {
  return new SandboxFailure(
    "too_many_files",
    `the folders that it may reach hold more than ${MAX_ENTRIES} files, too many to scan for .env files: ` +
      "name narrower paths",
  );
}
