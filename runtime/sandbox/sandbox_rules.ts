// Declares the rules of a sandboxed program: the paths and hosts that it may use. bubblewrap.ts enforces them.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { isEnvFileName } from "../../base/files/env_file_name.ts";

/** The values of the setting `sandbox` in config.yaml. */
export const SANDBOX_MODES = ["required", "preferred", "off"] as const;

/**
 * A value of the setting. `required`: no program starts without a sandbox. `preferred`: programs start without one if it is
 * missing, which is logged. `off`: no sandbox is used.
 */
export type SandboxMode = typeof SANDBOX_MODES[number];

/**
 * The paths and hosts that one program may use in addition to the system's programs and libraries. All paths are absolute.
 */
export interface SandboxRules {
  /** The program's own files, which it may read. They are assumed to contain no keys. */
  programs?: readonly string[];
  /** The files and folders, with their content, that the program may read. */
  read: readonly string[];
  /** The files and folders, with their content, that the program may read and write. */
  write: readonly string[];
  /**
   * The paths that are hidden, also if they are inside permitted folders. A path in `read` or `write` that is below a
   * hidden path is permitted.
   */
  closed: readonly string[];
  /** The folder that is mounted as the user's home. Undefined: an empty home that is deleted when the program ends. */
  home?: string;
  /**
   * `host`: the machine's network without limits. `none`: no network. A function: opens a proxy for this program and
   * returns its route. It is called only if the system can limit the program to the proxy.
   */
  net: "none" | "host" | (() => ProxyRoute);
}

/** The route from the sandbox to an HTTP proxy in the service. */
export interface ProxyRoute {
  /** The path of the Unix socket on which the proxy listens. */
  socketFile: string;
  /** The program's credentials for the proxy, as `user:password`. */
  credentials: string;
}

/** A command to start, with its folder and environment. */
export interface SandboxedProgram {
  /** The program's path, or its name, which is searched in PATH. */
  program: string;
  args: readonly string[];
  /** The absolute path of the working folder. */
  cwd: string;
  /** The program's environment variables. It inherits no others. */
  environment: Readonly<Record<string, string>>;
}

/** The maximum number of folder entries that are scanned for files with keys. */
const MAX_ENTRIES = 200_000;

/**
 * Error: a program cannot be put into the sandbox. The message is a sentence for the kind `no_sandbox`, and a clause for
 * the other kinds.
 */
export class SandboxFailure extends RuntimeError {
  readonly code: RuntimeErrorCode = "conflict";
  readonly kind: "no_sandbox" | "program_missing" | "too_many_files";

  constructor(kind: SandboxFailure["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Returns the `.env` files that exist in `folders`. They must be listed, because bubblewrap hides paths, not names.
 * Symlinks are not followed: their targets are in the sandbox only if they are in one of the folders. Throws SandboxFailure
 * if there are too many entries.
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
      // These errors mean that the path does not exist, is a file, or is closed to the user. But a folder that only Deno's
      // flags close would be readable in the sandbox, so NotCapable is thrown.
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
