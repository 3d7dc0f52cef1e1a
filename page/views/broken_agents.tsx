// The files in the agents folder that cannot be read as agents, with their problems.
import type { VNode } from "preact";
import type { AgentErrorBody } from "../../api/schemas/diagnostic_schemas.ts";
import { toHash } from "../state/route.ts";
import { useResource } from "../state/use_resource.ts";

/** Returns the agent files that cannot be read, with their problems. Loads them only while `isActive`. */
export function useBrokenAgents(isActive = true): readonly AgentErrorBody[] {
  const { data } = useResource((client) => client.info(), {
    key: "info",
    topics: ["agents"],
    isActive,
  });
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
          <ul>
            {diagnostics.map((one) => (
              <li key={`${one.line} ${one.message}`}>
                {one.severity === "warning" && <span class="muted">Warning:</span>}{" "}
                {describeProblem(one)}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
