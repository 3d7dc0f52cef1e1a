// Parses the names of a skill's scripts, and finds their interpreters.
import { ToolFailure } from "../failures/tool_failure.ts";
import { ownValue } from "../../../base/json.ts";

/**
 * The interpreters by file extension. Null means Inkling's own Deno runtime, with restricted permissions. The first line of
 * a shell script can name another shell (see shellOf).
 */
const INTERPRETERS: Readonly<Record<string, string | null>> = {
  ts: null,
  js: null,
  py: "python3",
  sh: "sh",
};

/** Matches one part of a script's path, which is a file or folder name. */
const PART = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._-]*$/u;

/** Returns the interpreter for a file's extension, or undefined if there is none. */
function interpreterOf(name: string): string | null | undefined {
  const extension = /\.([a-z]+)$/.exec(name)?.[1] ?? "";
  return ownValue(INTERPRETERS, extension);
}

/** Returns true if the file's extension has an interpreter. */
export function isScriptName(name: string): boolean {
  return interpreterOf(name) !== undefined;
}

/**
 * Parses the name of a script. `convert.py` is in the skill's folder or its folder `scripts`, and so is
 * `scripts/convert.py`; `pdf/convert.py` is in a folder below `scripts`. A name may contain only letters, digits, spaces,
 * dots, hyphens and underscores, so that it cannot leave the folder on any file system. Throws ToolFailure for other names.
 *
 * `candidates` are the paths to try, in this order, relative to the skill's folder. A null `interpreter` is Inkling's own
 * Deno runtime.
 */
export function parseScriptName(
  text: string,
): { candidates: string[]; interpreter: string | null } {
  const name = text.startsWith("scripts/") ? text.slice("scripts/".length) : text;
  if (!name.split("/").every((part) => PART.test(part) && !part.includes(".."))) {
    throw new ToolFailure(
      `${
        JSON.stringify(text)
      } is not a valid script name. Give the name of a file in the skill's folder or its ` +
        "scripts folder, such as convert.py or scripts/pdf/convert.py.",
    );
  }
  const interpreter = interpreterOf(name);
  if (interpreter === undefined) {
    const known = Object.keys(INTERPRETERS).map((one) => `.${one}`).join(", ");
    throw new ToolFailure(`${JSON.stringify(text)} cannot be run: only ${known} scripts can.`);
  }
  const inScripts = `./scripts/${name}`;
  const isBare = name === text && !name.includes("/");
  return { candidates: isBare ? [`./${name}`, inScripts] : [inScripts], interpreter };
}

/**
 * Returns the program that runs a shell script, followed by its argument if there is one. The script's first line names
 * them, as for the kernel: `#!/usr/bin/env bash`, `#!/bin/bash -eu`. Returns `sh` if the first line names no program.
 */
export function shellOf(script: string): string[] {
  const [, program, argument] = /^#![ \t]*(\/[^ \t\r\n]*)[ \t]*([^\r\n]*)/.exec(script) ?? [];
  if (program === undefined) return ["sh"];
  return argument?.trim() ? [program, argument.trim()] : [program];
}
