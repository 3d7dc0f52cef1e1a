// What an examination finds: things that are wrong, each with what to do, and with its repair where that is safe.
import { RuntimeError } from "../../base/errors.ts";
import { describeDenied } from "../../base/denied_permission.ts";

/** One thing that is wrong. Each text is one line. */
export interface Finding {
  severity: "error" | "warning";
  /** What it is about: an agent's id, a file, `disk`. */
  subject: string;
  problem: string;
  /** What a person can do about it. */
  remedy: string;
  /** Does it, and tells what it did as a sentence. Only where nothing can be lost. */
  repair?: () => string;
}

/** Returns the finding that a refusal makes. `fallback` is the remedy where the refusal has none. */
export function fromRefusal(
  { problem, remedy }: RuntimeError,
  subject: string,
  fallback = "see docs/operations.md",
): Finding {
  return { severity: "error", subject, problem, remedy: (remedy ?? fallback).replace(/\.$/, "") };
}

/** What was looked at and found. */
export interface Examination {
  /** How many things were looked at. */
  checks: number;
  findings: Finding[];
  /** What could not be looked at, as sentences. */
  unchecked: string[];
  /** What was seen and is good to know, as sentences. */
  notes: string[];
}

/** A part of an examination: what it looks at counts, whether it finds something or not. */
export type Check = () => Promise<readonly Finding[]> | readonly Finding[];

/** Looks at one thing after the other. What Deno's flags or a refusal keep from being looked at is told, and stops nothing. */
export async function performChecks(checks: readonly Check[]): Promise<Examination> {
  const done: Examination = { checks: 0, findings: [], unchecked: [], notes: [] };
  for (const check of checks) {
    try {
      done.findings.push(...await check());
      done.checks++;
    } catch (error) {
      const denied = describeDenied(error);
      if (denied === undefined && !(error instanceof RuntimeError)) throw error;
      done.unchecked.push(denied ?? (error as RuntimeError).message);
    }
  }
  return done;
}
