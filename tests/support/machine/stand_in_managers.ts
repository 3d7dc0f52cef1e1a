// Stand-ins for systemctl, loginctl and launchctl on PATH: they record their calls and keep the state of one unit.
import { join } from "node:path";

/** The switches and the record of the stand-ins. */
export interface StandInManagers {
  /** The folder to put at the beginning of PATH. */
  readonly bin: string;
  /** Returns the calls since this function was last called. */
  calls(): string[];
  /** Makes the managers behave: `silent`: systemd and launchd do not answer; `no-linger`: lingering is refused; `failing`:
   * units do not start; `busy`: launchd refuses the next two starts; `real`: systemd starts the unit's command. */
  set(mode: "silent" | "no-linger" | "failing" | "busy" | "real"): void;
  isActive(): boolean;
}

/** Writes the stand-ins into a folder. */
export function createStandInManagers(folder: string): StandInManagers {
  const bin = join(folder, "stand-ins");
  Deno.mkdirSync(bin);
  const write = (name: string, script: string) =>
    Deno.writeTextFileSync(
      join(bin, name),
      `#!/bin/sh\nstate='${bin}'\necho "${name} $*" >> "$state/calls"\n` +
        `has() { [ -f "$state/$1" ]; }\nfail() { echo "$1" >&2; exit 1; }\n${script}`,
      { mode: 0o755 },
    );
  write("systemctl", SYSTEMCTL);
  write("loginctl", 'has no-linger && fail "Could not enable linger: Access denied"\nexit 0\n');
  write("launchctl", LAUNCHCTL);
  return {
    bin,
    calls() {
      const path = join(bin, "calls");
      const text = exists(path) ? Deno.readTextFileSync(path) : "";
      if (text !== "") Deno.removeSync(path);
      return text.trimEnd().split("\n").filter((line) => line !== "");
    },
    set: (mode) => Deno.writeTextFileSync(join(bin, mode), ""),
    isActive: () => exists(join(bin, "active")),
  };
}

const SYSTEMCTL = `has silent && fail "Failed to connect to bus: No medium found"
folder=$state/system
[ "$1" = --user ] && { shift; folder=\${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user; }
wants=$folder/default.target.wants
case $1 in
  enable) mkdir -p "$wants" && ln -sf ../inkling.service "$wants/inkling.service" ;;
  restart)
    has failing && fail "Job for inkling.service failed"
    touch "$state/active"
    if has real; then
      command=$(sed -n 's/^ExecStart=//p' "$folder/inkling.service")
      eval "set -- $command"
      setsid sh -c 'export SYSTEMD_EXEC_PID=$$; echo $$ > "$0/pid"; exec "$@"' "$state" "$@" \\
        < /dev/null > "$state/output" 2>&1 &
    fi ;;
  disable)
    rm -f "$wants/inkling.service" "$state/active"
    if has pid; then kill "$(cat "$state/pid")"; while kill -0 "$(cat "$state/pid")"; do sleep 0.1; done; fi
    exit 0 ;;
  is-active) has active && echo active || { echo inactive; exit 3; } ;;
  is-enabled) [ -L "$wants/inkling.service" ] && echo enabled || { echo disabled; exit 1; } ;;
esac
`;

const LAUNCHCTL = `has silent && fail "Could not find domain"
case $1 in
  print) case $2 in */inkling) has active || exit 113 ;; esac ;;
  bootout) has active || fail "Boot-out failed: 3: No such process"; rm "$state/active" ;;
  bootstrap)
    has busy && { mv "$state/busy" "$state/busier"; fail "Bootstrap failed: 5: Input/output error"; }
    has busier && { rm "$state/busier"; fail "Bootstrap failed: 5: Input/output error"; }
    touch "$state/active" ;;
esac
exit 0
`;

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false; // The stand-ins have not written the file.
  }
}
