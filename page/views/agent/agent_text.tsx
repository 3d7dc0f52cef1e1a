// The text of an agent's file, with its problems below their lines.
import type { VNode } from "preact";
import type { AgentErrorBody } from "../../../api/schemas/diagnostic_schemas.ts";
import { Collapsible } from "../../parts/parts.tsx";
import { useResource } from "../../state/use_resource.ts";

/** Renders the text of an agent's file; nothing if the person may not read the file. */
export function AgentText(
  { id, problems }: { id: string; problems: AgentErrorBody["diagnostics"] },
): VNode | null {
  const { data } = useResource((client) => client.agentFile(id), { key: id, topics: ["agents"] });
  if (data === undefined) return null;
  const lines = data.text.replace(/\n$/, "").split("\n");
  return (
    <Collapsible isOpen summary={<>Text of the file</>}>
      {() => (
        <div class="diff" tabIndex={0} role="region" aria-label={`Text of ${id}`}>
          {lines.map((text, index) => {
            const found = problems.filter(({ line }) => line === index + 1);
            const isError = found.some(({ severity }) => severity === "error");
            return (
              <div key={index}>
                <div class={`diff-line numbered ${isError ? "removed" : ""}`}>
                  <span class="sign muted">{index + 1}</span>
                  <span class="text" dir="auto">{text}</span>
                </div>
                {found.map(({ message, severity }) => (
                  <p key={message} class={`line-problem ${severity}`} dir="auto">{message}</p>
                ))}
              </div>
            );
          })}
        </div>
      )}
    </Collapsible>
  );
}
