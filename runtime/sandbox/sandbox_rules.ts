// What a program in the sandbox may reach, said without a word of how that is enforced.
import { isEnvFileName } from "../../base/files/env_file_name.ts";

/** What the `sandbox` setting of config.yaml may be. */
export const SANDBOX_MODES = ["required", "preferred", "off"] as const;

/** `required` refuses to start a program without a sandbox, `preferred` starts it as it is and says so. */
export type SandboxMode = typeof SANDBOX_MODES[number];

/** What one program may reach beside the programs and libraries of the system. All paths are absolute. */
export interface SandboxRules {
  /** Its own files: what it is started from. Read only, and taken to hold no keys. */
  programs?: readonly string[];
  /** Files and folders that it may read, each with all below it. */
  read: readonly string[];
  /** Those that it may also write. */
  write: readonly string[];
  /** What it never sees, even inside of the others; a path of `read` or `write` that lies in one of these is open all the same. */
  closed: readonly string[];
  /** A folder that takes the place of the user's home; absent: an empty one that is gone with the program. */
  home?: string;
  /**
   * `host`: the machine's network as it is. A function: only what a proxy lets through, which it opens for this program; it is
   * called where the system can hold the program to that.
   */
  net: "none" | "host" | (() => ProxyRoute);
}

/** An HTTP proxy outside of the sandbox, and how a program in it gets there. */
export interface ProxyRoute {
  /** The Unix socket on which it listens. */
  socketFile: string;
  /** `user:password` of this program, as in a URL. */
  credentials: string;
}

/** A program to start. */
export interface SandboxedProgram {
  /** As it is typed: a name that is looked for in PATH, or a path. */
  program: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  /** All of its environment. */
  environment: Readonly<Record<string, string>>;
}

/** How many entries of the folders that a program may reach are looked through for files with keys. */
const MAX_ENTRIES = 200_000;

/** More lies in the folders than is looked through; the end of a sentence. */
export class TooMuchToLookThrough extends Error {
  override readonly name = "TooMuchToLookThrough";

  constructor() {
    super(
      `the folders that it may reach hold more than ${MAX_ENTRIES} files, too many to look for .env files in: ` +
        "name narrower paths",
    );
  }
}

/**
 * The `.env` files in these folders, as they are now: the sandbox knows paths, no names. Symbolic links are not followed,
 * because what they lead to is in the sandbox only where it is in one of the folders itself. Throws TooMuchToLookThrough.
 */
export function findEnvFiles(folders: readonly string[]): string[] {
  const found: string[] = [];
  let entries = 0;
  const look = (folder: string): void => {
    try {
      for (const { name, isDirectory, isSymlink } of Deno.readDirSync(folder)) {
        if (++entries > MAX_ENTRIES) throw new TooMuchToLookThrough();
        const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
        if (isEnvFileName(name)) {
          if (!isSymlink) found.push(path);
        } else if (isDirectory) look(path);
      }
    } catch (error) {
      if (error instanceof TooMuchToLookThrough) throw error;
      // Gone, a file, or closed to this user. What only Deno closes to us would be open in the sandbox.
      if (!(error instanceof Error) || error instanceof Deno.errors.NotCapable) throw error;
    }
  };
  for (const folder of folders) look(folder);
  return found;
}
