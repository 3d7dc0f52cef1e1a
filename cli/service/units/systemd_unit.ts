// Formats the service as a unit of systemd's user manager, with the quoting of systemd.syntax(7) and systemd.service(5).
import { STOP_SECONDS, type Unit } from "./unit.ts";

/** Returns the text of the unit file, with installation instructions in comments. */
export function toSystemdUnit(unit: Unit): string {
  const [program = "", ...args] = startable(unit.command);
  // In ExecStart, systemd expands `$` in arguments, but not in the program's path.
  const words = [quote(program), ...args.map((arg) => quote(arg).replaceAll("$", "$$$$"))];
  return `# Inkling as a service of your user.
#
# Install it:
#   mkdir -p ~/.config/systemd/user
#   ${unit.printCommand} > ~/.config/systemd/user/inkling.service
#   systemctl --user daemon-reload
#   systemctl --user enable --now inkling
# Keep it running while you are logged out:
#   loginctl enable-linger
# Show its state, and stop it:
#   systemctl --user status inkling
#   systemctl --user stop inkling
# Restart it after an update:
#   systemctl --user restart inkling
#
# It does not see the variables of your shell. Keys of model providers belong in
#   ${unit.keysFile}
# The key of TCP clients (service.port in config.yaml) belongs in
#   ${unit.serviceKeyFile}
# readable by you alone (chmod 600), as the line INKLING_API_KEY=...

[Unit]
Description=Inkling: agents that are Markdown files
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${words.join(" ")}
${
    Object.entries(unit.environment)
      .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`).join("\n")
  }
EnvironmentFile=-${percent(unit.environmentFile)}
Restart=on-failure
RestartSec=5
# A restart does not fix a wrong command line.
RestartPreventExitStatus=2
# The service ends its child processes; systemd kills the rest.
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=${STOP_SECONDS}

[Install]
WantedBy=default.target
`;
}

/**
 * Returns the command, wrapped in `/bin/sh` if the program's path contains quotes or backslashes. systemd rejects such a
 * path.
 */
function startable(command: readonly string[]): readonly string[] {
  return /["'\\]/.test(command[0] ?? "")
    ? ["/bin/sh", "-c", 'exec "$0" "$@"', ...command]
    : command;
}

function quote(text: string): string {
  return `"${percent(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Doubles percent signs, because a single percent sign starts a systemd specifier. */
function percent(text: string): string {
  return text.replaceAll("%", "%%");
}
