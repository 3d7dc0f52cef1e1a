// The findings of an examination: problems with a remedy, and with a repair when that is safe.
import { RuntimeError } from "../../base/errors.ts";
import { describeDenied } from "../../base/denied_permission.ts";
import type { DiagnosticCode } from "../../base/diagnostics.ts";

/** One problem. Each text is one line. */
export interface Finding {
  severity: "error" | "warning";
  /** The subject: an agent's id, a file, `disk`. */
  subject: string;
  problem: string;
  /** The action that a person can take. */
  remedy: string;
  code?: DiagnosticCode;
  /** Performs the remedy and returns a sentence about it. Only present when no data can be lost. */
  repair?: () => string;
}

/** Returns the finding for a refusal. `fallback` is the remedy when the refusal has none. */
export function toRefusalFinding(
  { problem, remedy }: RuntimeError,
  subject: string,
  fallback = "see docs/operations.md",
): Finding {
  return { severity: "error", subject, problem, remedy: (remedy ?? fallback).replace(/\.$/, "") };
}

/** The result of an examination. */
export interface Examination {
  /** The number of performed checks. */
  checks: number;
  findings: Finding[];
  /** The checks that could not be performed, as sentences. */
  unchecked: string[];
  /** Useful observations, as sentences. */
  notes: string[];
}

/** A part of an examination. It counts as a check even without findings. */
export type Check = () => Promise<readonly Finding[]> | readonly Finding[];

/**
 * Performs the checks one after another. A check that Deno's flags or a refusal prevent is reported, and the others
 * go on.
 */
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
