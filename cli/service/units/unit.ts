// The description of the service from which a unit file is formatted.

/** The supported service managers. */
export const UNIT_KINDS = ["systemd", "launchd"] as const;

/** The name of a supported service manager. */
export type UnitKind = typeof UNIT_KINDS[number];

/** The scope of a unit: `user` for a unit of one user, `system` for a unit of the machine, which only root can install. */
export type UnitScope = "user" | "system";

/** The line that every unit file of Inkling contains. A unit file without this line was not written by Inkling. */
export const UNIT_MARKER = `Written by Inkling: "inkling service uninstall" removes this file.`;

/** The contents of a unit file. All paths are absolute, and no text contains a control character. */
export interface Unit {
  /** The user account under which a system unit runs the service. Absent for a user's own unit. */
  owner?: string;
  /** The shell command that prints this unit file again. The instructions in the unit file contain this command. */
  printCommand: string;
  /** The program and its arguments. They contain no keys, because every user can read the arguments in the process list. */
  command: readonly string[];
  /** The environment variables: Inkling's folders, PATH and others. They contain no keys. */
  environment: Readonly<Record<string, string>>;
  /** The path of a file with more variables, as `NAME=value` lines. The file may be missing. */
  environmentFile: string;
  /** The path of the file for the key of TCP clients. The instructions name it. */
  serviceKeyFile: string;
  /** The path of the service's log. It also receives the error output of a failed start. */
  logFile: string;
  /** The path of the file for the keys of model providers. The instructions name it. */
  keysFile: string;
}

/** The maximum seconds from the stop signal to the end of the process: 8 for the runs, the rest for servers and workers. */
export const STOP_SECONDS = 30;
