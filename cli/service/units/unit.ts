// What any service manager needs to know about the service.

/** The managers that a file can be printed for. */
export const UNIT_KINDS = ["systemd", "launchd"] as const;

/** One of UNIT_KINDS. */
export type UnitKind = typeof UNIT_KINDS[number];

/** How a service manager starts the service. Paths are absolute, and no text holds control characters. */
export interface Unit {
  /** The command that prints this, quoted for a shell: its output goes to a file. */
  printCommand: string;
  /** Program and arguments; never a key: the process list shows arguments. */
  command: readonly string[];
  /** Variables that settle where things are and how programs are found; never a key. */
  environment: Readonly<Record<string, string>>;
  /** A file of `NAME=value` lines that may be missing: further variables of the service. */
  environmentFile: string;
  /** Where the key of TCP clients belongs, for the reader. */
  serviceKeyFile: string;
  /** The service's log, which takes what it says when it cannot start. */
  logFile: string;
  /** Where keys of model providers belong, for the reader. */
  keysFile: string;
}

/** Seconds that the service may take to end: eight for its runs, the rest for its servers and workers. */
export const STOP_SECONDS = 30;
