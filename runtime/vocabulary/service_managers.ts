// The programs that can start a service and start it again after a crash.

/** The kinds of service managers. `container` means that the service is the first process of a container. */
export const SERVICE_MANAGERS = ["systemd", "launchd", "container"] as const;

/** One of SERVICE_MANAGERS. */
export type ServiceManager = typeof SERVICE_MANAGERS[number];

/**
 * Returns the program that manages a process, from the process's variables and ids. Undefined if none does.
 * SYSTEMD_EXEC_PID contains the PID of the process that systemd started: this process, or its parent if the parent is a
 * wrapper such as the npm package's.
 */
export function findServiceManager(
  read: (name: string) => string | undefined,
  { pid, ppid }: { pid: number; ppid: number },
): ServiceManager | undefined {
  if (pid === 1) return "container";
  const started = read("SYSTEMD_EXEC_PID");
  if (started === String(pid) || started === String(ppid)) return "systemd";
  return read("XPC_SERVICE_NAME") === "inkling" ? "launchd" : undefined;
}
