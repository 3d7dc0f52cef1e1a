// The problems of a file, and the files in the agents folder that cannot be read as agents.
import type { VNode } from "preact";
import type { AgentErrorBody, DiagnosticBody } from "../../api/schemas/diagnostic_schemas.ts";
import { Button } from "../parts/parts.tsx";
import { toHash } from "../state/route.ts";
import { useResource } from "../state/use_resource.ts";

/** Returns the agent files that cannot be read, with their problems. Loads them only while `isActive`. */
export function useBrokenAgents(isActive = true): readonly AgentErrorBody[] {
  const { data } = useResource((client) => client.info(), { topics: ["agents"], isActive });
  return data?.agent_errors ?? [];
}

/** Returns a problem as a sentence: `Line 3: Unknown key triger: it is ignored (did you mean "trigger"?)`. */
export function describeProblem(
  { line, message, hint }: { line: number; message: string; hint: string | null },
): string {
  return `Line ${line}: ${message}${hint === null ? "" : ` (${hint})`}`;
}

/** Renders the files with their problems, errors first; nothing without files. */
export function BrokenAgents({ files }: { files: readonly AgentErrorBody[] }): VNode | null {
  if (files.length === 0) return null;
  return (
    <section class="problem broken" aria-label="Files that cannot be read as agents">
      {files.map(({ id, path, diagnostics }) => (
        <div key={path}>
          <p>
            <strong>{id}</strong> cannot be read as an agent: <code class="path">{path}</code>{" "}
            {path.endsWith(".md") && (
              <a href={toHash({ view: "edit", place: { kind: "agent", name: id } })}>
                Edit {id}
              </a>
            )}
          </p>
          <Problems of={diagnostics} label={`Problems of ${id}`} />
        </div>
      ))}
    </section>
  );
}

/** Renders the problems of a text, errors first. With `onGo`, a click on a problem calls it. */
export function Problems(
  { of, onGo, label = "Problems" }: {
    of: readonly DiagnosticBody[];
    onGo?: (one: DiagnosticBody) => void;
    label?: string;
  },
): VNode | null {
  if (of.length === 0) return null;
  const sorted = of.toSorted((a, b) =>
    Number(a.severity !== "error") - Number(b.severity !== "error")
  );
  return (
    <ul class="text-problems" aria-label={label}>
      {sorted.map((one) => (
        <li key={`${one.line} ${one.message}`} class={one.severity}>
          {one.severity === "warning" && <span class="muted">Warning:</span>} {onGo === undefined
            ? describeProblem(one)
            : <Button class="link" onClick={() => onGo(one)}>{describeProblem(one)}</Button>}
        </li>
      ))}
    </ul>
  );
}
