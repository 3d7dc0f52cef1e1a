// Formats the service as a unit of systemd, with the quoting of systemd.syntax(7) and systemd.service(5).
import { STOP_SECONDS, type Unit, UNIT_MARKER } from "./unit.ts";

/** Returns the text of the unit file, with installation instructions in comments. */
export function toSystemdUnit(unit: Unit): string {
  const [program = "", ...args] = startable(unit.command);
  // In ExecStart, systemd expands `$` in arguments, but not in the program's path.
  const words = [quote(program), ...args.map((arg) => quote(arg).replaceAll("$", "$$$$"))];
  const { owner } = unit;
  const manager = owner === undefined ? "systemctl --user" : "systemctl";
  return `# ${UNIT_MARKER}
# "inkling service install" replaces it.
#
${owner === undefined ? manualSteps(unit) : ""}# Show its state, and stop it:
#   ${manager} status inkling
#   ${manager} stop inkling
# Restart it after an update:
#   ${manager} restart inkling
#
# It does not see the variables of your shell. Keys of model providers belong in
#   ${unit.keysFile}
# The key of TCP clients (service.port in config.yaml) belongs in
#   ${unit.serviceKeyFile}
# readable by you alone (chmod 600), as the line INKLING_API_KEY=...

[Unit]
Description=Inkling: agents that are Markdown files
StartLimitIntervalSec=300
StartLimitBurst=5${owner === undefined ? "" : AFTER_NETWORK}

[Service]
Type=exec${owner === undefined ? "" : `\nUser=${percent(owner)}`}
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
WantedBy=${owner === undefined ? "default" : "multi-user"}.target
`;
}

/**
 * The lines that delay the start until the network is up. Only system units contain them, because the service manager of a
 * user has no such target.
 */
const AFTER_NETWORK = "\nWants=network-online.target\nAfter=network-online.target";

/** Returns the steps of an installation by hand, as comments. */
function manualSteps({ printCommand }: Unit): string {
  return `# By hand:
#   mkdir -p ~/.config/systemd/user
#   ${printCommand} > ~/.config/systemd/user/inkling.service
#   systemctl --user daemon-reload
#   systemctl --user enable --now inkling
# Keep it running while you are logged out:
#   loginctl enable-linger
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
