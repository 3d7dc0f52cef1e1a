// Reads variables from environment files and the shell. Each query checks the files, and reads changed files again.
import { type Diagnostic, errorAtStart } from "../../../base/diagnostics.ts";
import { parseEnvironment } from "./environment_text.ts";
import type { Environment } from "./environment.ts";
import { stampFile } from "./file_stamp.ts";
import { isStillMissing, type MissingFile, rememberMissing } from "./missing_file.ts";
import { decodeText } from "./text_file.ts";
import { hiddenParts, isSecretName, type Secret } from "../../secrets/secret.ts";
import { unreadableReason } from "../../../base/files/unreadable.ts";

const LARGEST_FILE_BYTES = 1_024 * 1_024;

/** The time after a change in which a file may be incomplete. */
const QUIET_MS = 200;

type Variables = ReadonlyMap<string, string>;

interface LoadedFile {
  path: string;
  /** The stamp of the file; undefined if the next query must read the file again. */
  stamp: string | undefined;
  missing?: MissingFile | undefined;
  /** The time of the last change by the file system's clock; undefined for a missing file. */
  changedAt?: number | undefined;
  variables: Variables;
  problems: Diagnostic[];
}

/**
 * The variables of several `.env` files and the shell. The first non-empty value counts, so a line `KEY=` without a value
 * hides nothing. A broken or unreadable file counts as empty, and `problems()` reports it.
 */
export class EnvironmentFiles implements Environment {
  readonly #files: LoadedFile[];
  readonly #shell: Variables;
  /** The variables of all files and of the shell, cached until the next microtask. */
  #current: readonly Variables[] | undefined;
  /** The cached secrets by the requested names. */
  readonly #secrets = new Map<string, Secret[]>();

  /** Creates the environment. `files` are in order of precedence. `shell` has the variables at the start of the process. */
  constructor(options: { files: readonly string[]; shell: Readonly<Record<string, string>> }) {
    this.#files = options.files.map((path) => (
      { path, stamp: undefined, variables: new Map(), problems: [] }
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

  /** Also returns values that a file or variable of higher precedence hides, because they are secret, too. */
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
    return this.#files.flatMap((file) => file.problems);
  }

  /** Returns the paths of files that changed so recently that they may be incomplete. */
  changing(now: number): string[] {
    this.#layers();
    return this.#files.flatMap(({ path, changedAt }) =>
      changedAt !== undefined && Math.abs(now - changedAt) < QUIET_MS ? [path] : []
    );
  }

  /**
   * Returns the variables of all files and of the shell. Checks the files for changes only once until the next microtask:
   * no value can leave the process before that.
   */
  #layers(): readonly Variables[] {
    if (this.#current !== undefined) return this.#current;
    for (const [index, file] of this.#files.entries()) {
      const fresh = readIfChanged(file);
      if (fresh === undefined) continue;
      this.#files[index] = fresh;
      this.#secrets.clear();
    }
    queueMicrotask(() => this.#current = undefined);
    return this.#current = [...this.#files.map((file) => file.variables), this.#shell];
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

/** Returns the new content of a changed file, or undefined if it is unchanged. */
function readIfChanged(file: LoadedFile): LoadedFile | undefined {
  const { path } = file;
  const empty = { path, variables: new Map<string, string>() };
  // Every redaction calls this function, so it avoids the cost of an error for a missing file.
  if (file.missing !== undefined && isStillMissing(file.missing)) return undefined;
  try {
    const info = Deno.statSync(path);
    const stamp = stampFile(info);
    if (stamp !== undefined && stamp === file.stamp) return undefined;
    // The type is checked before the read, because opening a named pipe would block forever.
    if (!info.isFile) return { ...empty, stamp, problems: [problem(path, "it is not a file")] };
    if (info.size > LARGEST_FILE_BYTES) {
      return { ...empty, stamp, problems: [problem(path, "it is over 1 MB")] };
    }
    const decoded = decodeText(Deno.readFileSync(path), path);
    const changedAt = info.mtime?.getTime();
    return "diagnostic" in decoded
      ? { ...empty, stamp, changedAt, problems: [decoded.diagnostic] }
      : { path, stamp, changedAt, ...parseVariables(decoded.text, path) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      return { ...empty, stamp: undefined, problems: [], missing: rememberMissing(path) };
    }
    return { ...empty, stamp: undefined, problems: [problem(path, unreadableReason(error))] };
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
