// Loads the completion scripts. A script passes the typed words to `inkling complete <shell>`, and the answer to the shell.
// It evaluates no part of the command line. Decision: Inkling has its own scripts (rejected: the package @bomb.sh/tab). The
// package's scripts let bash evaluate the typed line, including redirections and `$(…)`. They also split ids at spaces and
// never offer files.

/** The shells with a completion script. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** The name of a supported shell. */
export type Shell = typeof SHELLS[number];

/** Returns the text of the completion script of a shell. */
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

/** The command that installs the completion script permanently, by shell. */
export const INSTALL_COMMANDS: Readonly<Record<Shell, string>> = {
  bash: "inkling completions bash > ~/.local/share/bash-completion/completions/inkling",
  zsh: 'inkling completions zsh > "${fpath[1]}/_inkling"',
  fish: "inkling completions fish > ~/.config/fish/completions/inkling.fish",
};
