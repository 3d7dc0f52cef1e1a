// Reads variables from environment files and the shell. Each query checks the files, and reads changed files again.
import { type Diagnostic, errorAtStart } from "../../../base/diagnostics.ts";
import { parseEnvironment } from "./environment_text.ts";
import { type ChangedFile, ChangingFile } from "./changing_file.ts";
import { hiddenParts, isSecretName, type Secret } from "../../secrets/secret.ts";

/** The time after a change in which a file may be incomplete. */
const QUIET_MS = 200;

type Variables = ReadonlyMap<string, string>;

/** The content of one file. `changedAt` is the time of its last change by the file system's clock, if it was read. */
interface Content {
  changedAt?: number | undefined;
  variables: Variables;
  problems: Diagnostic[];
}

/**
 * The variables of several `.env` files and the shell. The first non-empty value counts, so a line `KEY=` without a value
 * hides nothing. A broken or unreadable file counts as empty, and `problems()` reports it.
 */
export class EnvironmentFiles {
  readonly #files: { file: ChangingFile; content: Content }[];
  readonly #shell: Variables;
  /** The variables of all files and of the shell, cached until the next microtask. */
  #current: readonly Variables[] | undefined;
  /** The cached secrets by the requested names. */
  readonly #secrets = new Map<string, Secret[]>();

  /** Creates the environment. `files` are in order of precedence. `shell` has the variables at the start of the process. */
  constructor(options: { files: readonly string[]; shell: Readonly<Record<string, string>> }) {
    this.#files = options.files.map((path) => (
      { file: new ChangingFile(path), content: { variables: new Map(), problems: [] } }
    ));
    this.#shell = new Map(Object.entries(options.shell));
  }

  get(name: string): string | undefined {
    let found: string | undefined;
    for (const layer of this.#layers()) {
      const value = layer.get(name);
      if (value !== undefined && value !== "") return value;
      found ??= value;
    }
    return found;
  }

  /** The names of all variables that have a value. */
  names(): string[] {
    const names = this.#layers().flatMap((layer) => [...layer.keys()]);
    return [...new Set(names)].filter((name) => this.get(name)).sort();
  }

  /**
   * Returns the secret values, longest first: those of variables with a secret name (isSecretName), and those of the
   * variables in `names`. Also returns values that a file or variable of higher precedence hides, because they are secret,
   * too.
   */
  secrets(names: readonly string[] = []): Secret[] {
    const layers = this.#layers();
    const others = names.filter((name) => !isSecretName(name));
    const key = others.join(" ");
    let secrets = this.#secrets.get(key);
    if (secrets === undefined) {
      secrets = findSecrets(layers, others);
      this.#secrets.set(key, secrets);
    }
    return secrets;
  }

  /** Returns the problems of the files at present, in the order of the files. */
  problems(): Diagnostic[] {
    this.#layers();
    return this.#files.flatMap(({ content }) => content.problems);
  }

  /** Returns the paths of files that changed so recently that they may be incomplete. */
  changing(now: number): string[] {
    this.#layers();
    return this.#files.flatMap(({ file: { path }, content: { changedAt } }) =>
      changedAt !== undefined && Math.abs(now - changedAt) < QUIET_MS ? [path] : []
    );
  }

  /**
   * Returns the variables of all files and of the shell. Checks the files for changes only once until the next microtask:
   * no value can leave the process before that.
   */
  #layers(): readonly Variables[] {
    if (this.#current !== undefined) return this.#current;
    for (const one of this.#files) {
      const changed = one.file.readIfChanged();
      if (changed === undefined) continue;
      one.content = toContent(changed, one.file.path);
      this.#secrets.clear();
    }
    queueMicrotask(() => this.#current = undefined);
    return this.#current = [...this.#files.map(({ content }) => content.variables), this.#shell];
  }
}

function findSecrets(
  layers: readonly Variables[],
  names: readonly string[],
): Secret[] {
  const found = new Map<string, Secret>();
  for (const layer of layers) {
    for (const [name, written] of layer) {
      if (!isSecretName(name) && !names.includes(name)) continue;
      // Equal values of two variables both stay, so that each is found under its name.
      for (const value of hiddenParts(written)) found.set(`${name}=${value}`, { name, value });
    }
  }
  return [...found.values()].sort((a, b) => b.value.length - a.value.length);
}

function toContent(changed: ChangedFile, path: string): Content {
  const empty = { variables: new Map<string, string>() };
  switch (changed.state) {
    case "text":
      return { changedAt: changed.changedAt, ...parseVariables(changed.text, path) };
    case "bytes":
      return { ...empty, changedAt: changed.changedAt, problems: [changed.diagnostic] };
    case "missing":
      return { ...empty, problems: [] };
    case "unfit":
      return { ...empty, problems: [problem(path, `it ${changed.reason}`)] };
    case "unreadable":
      return { ...empty, problems: [problem(path, changed.reason)] };
  }
}

function problem(path: string, reason: string): Diagnostic {
  const message = `The environment file cannot be used: ${reason}`;
  return errorAtStart(path, message);
}

function parseVariables(
  text: string,
  path: string,
): { variables: Variables; problems: Diagnostic[] } {
  const variables = new Map(Object.entries(parseEnvironment(text)));
  return { variables, problems: findBrokenLines(text, path) };
}

/** Returns diagnostics for the lines that the parser skips. They never contain a value, because values are secret. */
function findBrokenLines(text: string, path: string): Diagnostic[] {
  const problems: Diagnostic[] = [];
  const lines = text.split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    if (/^\s*(#|$)/.test(line)) continue;
    const assignment = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(["'`]?)(.*)$/.exec(line);
    if (assignment === null) {
      const message = "The line is not a variable: write NAME=value, or # before a comment";
      problems.push({ path, line: i + 1, column: 1, severity: "warning", message });
      continue;
    }
    const [, name = "", quote = "", rest = ""] = assignment;
    if (quote === "" || rest.includes(quote)) continue;
    const close = lines.findIndex((later, j) => j > i && later.includes(quote));
    if (close < 0) {
      const message = `The quote of ${name} is never closed`;
      problems.push({ path, line: i + 1, column: 1, severity: "warning", message });
    } else i = close;
  }
  return problems;
}
