// The findings of an examination: problems, each with a remedy and, if no data can be lost, a repair.
import { RuntimeError } from "../../base/errors.ts";
import { describeDenied } from "../../base/denied_permission.ts";
import type { DiagnosticCode } from "../../base/diagnostics.ts";

/** One problem of the installation. Each text is one line. */
export interface Finding {
  severity: "error" | "warning";
  /** The part with the problem: an agent's id, a file name, or a word such as `disk`. */
  subject: string;
  problem: string;
  /** The action that a person can take. */
  remedy: string;
  code?: DiagnosticCode;
  /** Performs the remedy and returns a sentence about the result. Only present if no data can be lost. */
  repair?: () => string;
}

/** Converts an error of Inkling to a finding. `fallback` is the remedy for an error without a hint. */
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
  /** The checks that could not run, one sentence each. */
  unchecked: string[];
  /** Observations that are no problems, one sentence each. */
  notes: string[];
}

/** One check of an examination. It returns no findings if it finds no problem. */
export type Check = () => Promise<readonly Finding[]> | readonly Finding[];

/**
 * Runs the checks one after another. A check that fails because of Deno's flags or an error of Inkling is reported, and the
 * next check runs.
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
