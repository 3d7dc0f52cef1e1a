// What a shell runs to complete a command line of inkling. The scripts only carry words to `inkling complete <shell>`
// and its answer back; what fits is decided there. Nothing that stands on the line is evaluated.
// Decision: our own scripts, because those of @bomb.sh/tab have bash evaluate the line when Tab is pressed, redirections
// and `$(…)` included, take ids with spaces apart and never offer a file or folder (rejected: that package).

/** Shells that a script is printed for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** One of them. */
export type Shell = typeof SHELLS[number];

/** The script of a shell. */
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

/** The command that makes a shell read its script whenever it starts. */
export const INSTALL_COMMANDS: Readonly<Record<Shell, string>> = {
  bash: "inkling completions bash > ~/.local/share/bash-completion/completions/inkling",
  zsh: 'inkling completions zsh > "${fpath[1]}/_inkling"',
  fish: "inkling completions fish > ~/.config/fish/completions/inkling.fish",
};
