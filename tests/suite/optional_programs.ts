// The programs that some tests need. Those tests are skipped if the program is missing.
import { CHROMIUM_PATHS } from "../support/machine/browser.ts";

/** A program with the tests that need it and the Debian packages that contain it. */
export interface OptionalProgram {
  what: string;
  /** The possible paths of the program; one must exist. */
  paths: readonly string[];
  get: string;
}

const PROGRAMS: readonly OptionalProgram[] = [
  {
    what: "Chromium, for the tests of the page",
    paths: CHROMIUM_PATHS,
    get: "chromium-headless-shell",
  },
  {
    what: "PostgreSQL, for the tests of a shared database",
    paths: ["/usr/lib/postgresql"],
    get: "postgresql",
  },
  {
    what: "Dovecot, for the tests of mail",
    paths: ["/usr/sbin/dovecot"],
    get: "dovecot-imapd",
  },
  {
    what: "bubblewrap, for the tests of the sandbox",
    paths: ["/usr/bin/bwrap"],
    get: "bubblewrap",
  },
  {
    what: "socat, for the tests of the sandbox's network",
    paths: ["/usr/bin/socat"],
    get: "socat",
  },
  { what: "tmux, for the tests at a terminal", paths: ["/usr/bin/tmux"], get: "tmux" },
  {
    what: "Python, for the tests of scripts and of MCP servers",
    paths: ["/usr/bin/python3", "/usr/local/bin/python3"],
    get: "python3",
  },
  {
    what: "systemd-analyze, for the check of the units",
    paths: ["/usr/bin/systemd-analyze"],
    get: "systemd",
  },
  { what: "zsh, for the tests of completions", paths: ["/usr/bin/zsh"], get: "zsh" },
  { what: "fish, for the tests of completions", paths: ["/usr/bin/fish"], get: "fish" },
  {
    what: "minisign, for the signatures of releases",
    paths: ["/usr/bin/minisign"],
    get: "minisign",
  },
  { what: "faketime, for the faults of the clock", paths: ["/usr/bin/faketime"], get: "faketime" },
];

/** Returns the programs that are missing on this machine. */
export function missingPrograms(): OptionalProgram[] {
  return PROGRAMS.filter(({ paths }) => !paths.some(exists));
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
