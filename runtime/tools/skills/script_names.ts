// The valid names of a skill's scripts, and their interpreters.
import { ToolFailure } from "../failures/tool_failure.ts";

/** The interpreters by file extension. Null: this runtime, with restricted permissions. For shell scripts see shellOf. */
const INTERPRETERS: Readonly<Record<string, string | null>> = {
  ts: null,
  js: null,
  py: "python3",
  sh: "sh",
};

/** A file or folder in the name of a script. */
const PART = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._-]*$/u;

/** Returns true if a file with this name can be run as a script. */
export function isScriptName(name: string): boolean {
  const extension = /\.([a-z]+)$/.exec(name)?.[1] ?? "";
  return Object.hasOwn(INTERPRETERS, extension);
}

/** A script's place in its skill's folder. */
export interface ScriptName {
  /** Relative paths to try, in this order. */
  candidates: string[];
  /** The program that runs it. Null: this runtime. */
  interpreter: string | null;
}

/**
 * Parses a script's name: `convert.py`, in the skill's folder or in its `scripts`; `scripts/convert.py`; or
 * `pdf/convert.py`, in a folder below `scripts`. Only letters, digits, spaces, dots, hyphens and underscores are allowed,
 * so that no name leads elsewhere on any file system. Throws ToolFailure for other names.
 */
export function parseScriptName(text: string): ScriptName {
  const name = text.startsWith("scripts/") ? text.slice("scripts/".length) : text;
  if (!name.split("/").every((part) => PART.test(part) && !part.includes(".."))) {
    throw new ToolFailure(
      `${
        JSON.stringify(text)
      } is not a valid script name. Give the name of a file in the skill's folder or its ` +
        "scripts folder, such as convert.py or scripts/pdf/convert.py.",
    );
  }
  const extension = /\.([a-z]+)$/.exec(name)?.[1] ?? "";
  const interpreter = Object.hasOwn(INTERPRETERS, extension) ? INTERPRETERS[extension] : undefined;
  if (interpreter === undefined) {
    const known = Object.keys(INTERPRETERS).map((one) => `.${one}`).join(", ");
    throw new ToolFailure(`${JSON.stringify(text)} cannot be run: only ${known} scripts can.`);
  }
  const inScripts = `./scripts/${name}`;
  const isBare = name === text && !name.includes("/");
  return { candidates: isBare ? [`./${name}`, inScripts] : [inScripts], interpreter };
}

/**
 * Returns the program of a shell script and its arguments before the script's path, as the system reads them from the first
 * line: `#!/usr/bin/env bash`, `#!/bin/bash -eu`. Without such a line it is sh.
 */
export function shellOf(script: string): string[] {
  const [, program, argument] = /^#![ \t]*(\/[^ \t\r\n]*)[ \t]*([^\r\n]*)/.exec(script) ?? [];
  if (program === undefined) return ["sh"];
  return argument?.trim() ? [program, argument.trim()] : [program];
}
