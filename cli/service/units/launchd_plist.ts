// Formats the service as a launchd agent of macOS; see launchd.plist(5).
import { STOP_SECONDS, type Unit, UNIT_MARKER } from "./unit.ts";

/**
 * A shell script that loads the environment file ($0) and then runs the service command ($@). launchd has no key for an
 * environment file. The plist itself must not contain secrets, because backups and other programs read it.
 */
const SCRIPT = 'if [ -f "$0" ]; then set -a; . "$0"; set +a; fi; exec "$@"';

/** Returns the text of the property list, with installation instructions in a comment. */
export function toLaunchdPlist(unit: Unit): string {
  const command = ["/bin/sh", "-c", SCRIPT, unit.environmentFile, ...unit.command];
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!--
  ${UNIT_MARKER}
  "inkling service install" replaces it.

  By hand: save this as ~/Library/LaunchAgents/inkling.plist, then
    launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/inkling.plist
  Show its state, stop it, remove it:
    launchctl print gui/$(id -u)/inkling
    launchctl kill SIGTERM gui/$(id -u)/inkling
    launchctl bootout gui/$(id -u)/inkling
  Restart it after an update:
    launchctl kickstart -k gui/$(id -u)/inkling

  It does not see the variables of your shell. Keys of model providers belong in
    ${comment(unit.keysFile)}
  The key of TCP clients (service.port in config.yaml) belongs in
    ${comment(unit.serviceKeyFile)}
  readable by you alone (chmod 600), as the line INKLING_API_KEY='...'
-->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>inkling</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${escape(word)}</string>`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${
    Object.entries(unit.environment).map(([name, value]) =>
      `    <key>${escape(name)}</key>\n    <string>${escape(value)}</string>`
    ).join("\n")
  }
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>${STOP_SECONDS}</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>StandardOutPath</key>
  <string>/dev/null</string>
  <key>StandardErrorPath</key>
  <string>${escape(unit.logFile)}</string>
</dict>
</plist>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Inserts a space into double hyphens, which an XML comment must not contain. */
function comment(text: string): string {
  return text.replaceAll("--", "- -").replaceAll("--", "- -");
}
