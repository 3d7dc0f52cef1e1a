// What a service manager is told about the service, whichever manager it is.

/** The managers that a file can be printed for. */
export const UNIT_KINDS = ["systemd", "launchd"] as const;

/** One of UNIT_KINDS. */
export type UnitKind = typeof UNIT_KINDS[number];

/** How a service manager starts the service. Paths are absolute, and no text holds control characters. */
export interface Unit {
  /** Program and arguments; never a key: arguments stand in the process list. */
  command: readonly string[];
  /** Variables that settle where things are and how programs are found; never a key. */
  environment: Readonly<Record<string, string>>;
  /** A file of `NAME=value` lines that may be missing: the key of TCP clients. */
  environmentFile: string;
  /** The service's log, which takes what it says when it cannot start. */
  logFile: string;
  /** Where keys of model providers belong, for the reader. */
  keysFile: string;
}

/** Seconds that the service may take to end: its runs get eight of them, its servers and workers the rest. */
export const STOP_SECONDS = 30;
