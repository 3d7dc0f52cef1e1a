// Tests of completion in real shells: the program receives the typed words, and the shell runs nothing on the line.
import assert from "node:assert/strict";
import { join } from "node:path";
import { loadShellScript, SHELLS } from "../../../cli/completions/shell_script.ts";
import { createRealHome, type RealHome } from "../real_process.ts";
import { RealTerminal, testInTerminal } from "./real_terminal.ts";

/** The commands that start each shell with the installed script. */
const STARTS = {
  bash: {
    file: "rc.bash",
    text: (script: string) => `PS1='$ '\n${script}`,
    command: (root: string) => ["bash", "--noprofile", "--rcfile", join(root, "rc.bash"), "-i"],
  },
  zsh: {
    file: ".zshrc",
    text: () => "PS1='$ '\nfpath=($ZDOTDIR $fpath)\nautoload -Uz compinit\ncompinit -u -D\n",
    command: () => ["zsh", "-i"],
  },
  fish: {
    file: "config/fish/config.fish",
    text: () => "function fish_prompt; printf '$ '; end\nset -g fish_greeting\n",
    command: () => ["fish", "--private"],
  },
} as const;

/** The path from which each shell loads the script, below the test's folder. */
const INSTALLED = { zsh: "_inkling", fish: "config/fish/completions/inkling.fish" } as const;

/** A command that completes like the real one. Without completion it prints its arguments. */
const showArguments = (command: readonly string[]) =>
  `#!/bin/sh
case " $* " in
  " complete "*) exec ${command.map((word) => `'${word}'`).join(" ")} "$@" ;;
esac
for argument in "$@"; do printf '[%s]' "$argument"; done
echo
`;

async function openShell(home: RealHome, shell: typeof SHELLS[number]): Promise<RealTerminal> {
  const { root } = home;
  const { file, text, command } = STARTS[shell];
  const script = await loadShellScript(shell);
  await Deno.mkdir(join(root, "bin"));
  await Deno.writeTextFile(join(root, "bin", "inkling"), showArguments(await home.command([])), {
    mode: 0o755,
  });
  await Deno.mkdir(join(root, "config", "fish", "completions"), { recursive: true });
  // An existing folder stops fish from generating completions from all manual pages.
  await Deno.mkdir(join(root, "data", "fish", "generated_completions"), { recursive: true });
  await Deno.writeTextFile(join(root, file), text(script));
  if (shell !== "bash") await Deno.writeTextFile(join(root, INSTALLED[shell]), script);
  const terminal = await RealTerminal.open(home, [], {
    program: command(root),
    env: {
      PATH: `${join(root, "bin")}:${Deno.env.get("PATH")}`,
      ZDOTDIR: root,
      XDG_CONFIG_HOME: join(root, "config"),
      XDG_DATA_HOME: join(root, "data"),
      INPUTRC: "/dev/null",
      TERM: "xterm",
    },
  });
  await terminal.waitFor(/^\$/m);
  return terminal;
}

/** Types a line and Tab, and waits for the expected end of the line. */
async function complete(terminal: RealTerminal, typed: string, becomes: RegExp): Promise<void> {
  await terminal.type(typed);
  await terminal.press("Tab");
  await terminal.waitFor(new RegExp(`${becomes.source} *$`));
}

/** Presses Enter and returns the arguments of the command. */
async function enter(terminal: RealTerminal): Promise<string> {
  await terminal.press("Enter");
  const shown = await terminal.waitFor(/\]\n\$$/);
  return shown.split("\n").at(-2) ?? "";
}

const CASES: readonly (readonly [typed: string, becomes: RegExp, gets: string])[] = [
  ["inkling stat", /inkling status/, "[status]"],
  ["inkling -q run my", /run my\\ agent/, "[-q][run][my agent]"],
  ['inkling run "my', /run "my agent"/, "[run][my agent]"],
  ["inkling checkpoint --agent=da", /--agent=daily/, "[checkpoint][--agent=daily]"],
  ["inkling validate ./draf", /\.\/draft\.md/, "[validate][./draft.md]"],
  ["inkling --workspace=no", /=notes\\ dir\//, "[--workspace=notes dir]"],
];

async function completeInShell(shell: typeof SHELLS[number]): Promise<void> {
  await using home = await createRealHome();
  const { root } = home;
  await home.writeScript("daily", [{ say: "Done." }]);
  await home.writeScript("my agent", [{ say: "Done." }]);
  await Deno.mkdir(join(root, "notes dir"));
  await Deno.writeTextFile(join(root, "draft.md"), "");
  await using terminal = await openShell(home, shell);
  for (const [typed, becomes, gets] of CASES) {
    await complete(terminal, typed, becomes);
    // Some shells remove the slash after a folder's name.
    assert.equal((await enter(terminal)).replace("/]", "]"), gets, typed);
  }
  const kept = join(root, "kept.txt");
  await Deno.writeTextFile(kept, "kept");
  await complete(
    terminal,
    "inkling run $(touch trapped) '$(touch trapped)' > kept.txt --det",
    /--detach/,
  );
  await terminal.press("C-u");
  await terminal.waitFor(/\$$/);
  assert.equal(await Deno.readTextFile(kept), "kept");
  await assert.rejects(Deno.stat(join(root, "trapped")), Deno.errors.NotFound);
  // The shell ends by `exit`, because a killed shell may still write to the removed home.
  await terminal.type("exit");
  await terminal.press("Enter");
  await terminal.ended();
}

for (const shell of SHELLS) {
  const name =
    `${shell} completes commands, options, ids and paths at Tab, and runs and writes nothing of the line`;
  const isThere = new Deno.Command("sh", { args: ["-c", `command -v ${shell}`] }).outputSync()
    .success;
  if (isThere) testInTerminal(name, () => completeInShell(shell));
  else Deno.test.ignore(`${name} (skipped: ${shell} is not installed)`, () => {});
}
