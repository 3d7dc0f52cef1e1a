// The tools of an agent, and the calls that need approval.
import type { VNode } from "preact";
import type { AgentDetail } from "../../../api/schemas/agent_schemas.ts";
import { Collapsible, LoadState, TableHead } from "../../parts/parts.tsx";
import { useResource } from "../../state/use_resource.ts";

const EFFECTS = {
  read: "reads",
  idempotent: "changes, repeatable",
  unsafe: "changes",
  varies: "depends on the arguments",
};

/** Renders the tools. They are open at once if no server or program of the agent starts for it. */
export function AgentTools({ agent: { id, mcp, custom_tools } }: { agent: AgentDetail }): VNode {
  return (
    <Collapsible
      isOpen={mcp.length === 0 && custom_tools.length === 0}
      summary={<>Tools</>}
    >
      {() => <ToolTable id={id} />}
    </Collapsible>
  );
}

function ToolTable({ id }: { id: string }): VNode {
  const plan = useResource((client) => client.plan(id), { key: id, topics: ["agents"] });
  if (plan.data === undefined) return <LoadState of={plan} />;
  return (
    <>
      {plan.data.problems.map((one) => <p key={one} class="problem" dir="auto">{one}</p>)}
      <table aria-label="Tools">
        <TableHead names={["Tool", "From", "Effect", "Approval"]} />
        <tbody>
          {plan.data.tools.map(({ name, source, server, guarded, effect }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{server ?? source}</td>
              <td>{EFFECTS[effect]}</td>
              <td>{guarded && <span class="status waiting">asks</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
