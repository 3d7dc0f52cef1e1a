// Agent files that never parsed: they are no agents, and their author wants to know why.
import type { VNode } from "preact";
import { describeFault } from "../fault_text.ts";
import { useService } from "../state/service_context.ts";
import { useResource } from "../state/use_resource.ts";

/** Each such file with its problems; nothing where there is none. */
export function BrokenAgents(): VNode | null {
  const { client } = useService();
  const { data } = useResource(() => client.info(), { key: "info", topics: ["agents"] });
  if (data === undefined || data.agent_errors.length === 0) return null;
  return (
    <section class="problem broken" aria-label="Files that cannot be read as agents">
      {data.agent_errors.map(({ id, path, diagnostics }) => (
        <div key={path}>
          <p>
            <strong>{id}</strong> cannot be read as an agent:
          </p>
          <ul>
            {diagnostics.map((one) => (
              <li key={`${one.line} ${one.message}`}>{describeFault(one)}</li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
