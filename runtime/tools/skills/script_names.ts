// What a script of a skill may be called, and what runs it.
import { ToolFailure } from "../tool_failure.ts";

/** By which program scripts of each kind run; null: by this runtime itself, with restricted permissions. See shellOf. */
const INTERPRETERS: Readonly<Record<string, string | null>> = {
  ts: null,
  js: null,
  py: "python3",
  sh: "sh",
};

/** A file or folder in the name of a script. */
const PART = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._-]*$/u;

/** Whether a file of this name can be run as a script. */
export function isScriptName(name: string): boolean {
  const extension = /\.([a-z]+)$/.exec(name)?.[1] ?? "";
  return Object.hasOwn(INTERPRETERS, extension);
}

/** A script's place in its skill's folder. */
export interface ScriptName {
  /** Relative paths to look at, in this order. */
  candidates: string[];
  /** The program that runs it; null: this runtime. */
  interpreter: string | null;
}

/**
 * Reads a script's name: `convert.py`, looked for in the skill's folder and in its `scripts`; `scripts/convert.py`; or
 * `pdf/convert.py`, in a folder below `scripts`. Letters, digits, spaces, dots, hyphens and underscores only: nothing in
 * it can lead elsewhere on any file system. Throws ToolFailure for any other.
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
 * The program of a shell script and its arguments before the script's path, as the system reads them from its first line:
 * `#!/usr/bin/env bash`, `#!/bin/bash -eu`. A script without such a line is for sh.
 */
export function shellOf(script: string): string[] {
  const [, program, argument] = /^#![ \t]*(\/[^ \t\r\n]*)[ \t]*([^\r\n]*)/.exec(script) ?? [];
  if (program === undefined) return ["sh"];
  return argument?.trim() ? [program, argument.trim()] : [program];
}
