// The completion scripts of the shells. They pass the words to `inkling complete <shell>` and its answer back to the
// shell. They evaluate nothing on the command line.
// Decision: our own scripts, because those of @bomb.sh/tab let bash evaluate the line, including redirections and `$(…)`,
// split ids with spaces and never offer files (rejected: that package).

/** The supported shells. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** One of SHELLS. */
export type Shell = typeof SHELLS[number];

/** Loads the script of a shell. */
export async function loadShellScript(shell: Shell): Promise<string> {
  switch (shell) {
    case "bash":
      return (await import("./inkling.bash", { with: { type: "text" } })).default;
    case "zsh":
      return (await import("./inkling.zsh", { with: { type: "text" } })).default;
    case "fish":
      return (await import("./inkling.fish", { with: { type: "text" } })).default;
    default:
      return shell satisfies never;
  }
}

/** The command that installs the script for each start of the shell. */
export const INSTALL_COMMANDS: Readonly<Record<Shell, string>> = {
  bash: "inkling completions bash > ~/.local/share/bash-completion/completions/inkling",
  zsh: 'inkling completions zsh > "${fpath[1]}/_inkling"',
  fish: "inkling completions fish > ~/.config/fish/completions/inkling.fish",
};
