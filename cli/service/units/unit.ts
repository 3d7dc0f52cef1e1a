// The description of the service for a service manager.

/** The supported service managers. */
export const UNIT_KINDS = ["systemd", "launchd"] as const;

/** One of UNIT_KINDS. */
export type UnitKind = typeof UNIT_KINDS[number];

/** The service as a service manager starts it. Paths are absolute; texts contain no control characters. */
export interface Unit {
  /** The shell command that prints this unit file. */
  printCommand: string;
  /** The program and its arguments, without keys, because the process list shows arguments. */
  command: readonly string[];
  /** The variables of Inkling's folders and of the program search, without keys. */
  environment: Readonly<Record<string, string>>;
  /** An optional file of `NAME=value` lines with further variables. */
  environmentFile: string;
  /** The file for the key of TCP clients, named in the instructions. */
  serviceKeyFile: string;
  /** The service's log, which also receives its startup errors. */
  logFile: string;
  /** The file for keys of model providers, named in the instructions. */
  keysFile: string;
}

/** The seconds that the service may take to stop: eight for its runs, the rest for its servers and workers. */
export const STOP_SECONDS = 30;
