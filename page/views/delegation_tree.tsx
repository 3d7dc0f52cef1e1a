// Who delegated to whom, and who followed whom: from the execution that nobody started but a person or a trigger, down to this one and beyond.
import type { VNode } from "preact";
import { type Client, orMissing } from "../../api/client/client.ts";
import type { ExecutionDetail, ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { formatCost, formatCount } from "../format.ts";
import { ExecutionLink, Status } from "../parts.tsx";
import { executionHref } from "../route.ts";
import { useResource } from "../state/use_resource.ts";

/** Executions below one that are shown; the rest is said to be there. */
const MOST_CHILDREN = 50;
/** Executions are not asked for below this depth. */
const DEEPEST = 6;

interface Branch {
  execution: ExecutionSummary;
  children: Branch[];
  /** Whether there are more children than are shown. */
  hasMore: boolean;
}

/** The whole tree that an execution belongs to. */
export function DelegationTree({ execution }: { execution: ExecutionDetail }): VNode | null {
  const { data } = useResource((client) => loadTree(client, execution), {
    key: String(execution.id),
    topics: ["executions"],
  });
  if (data === undefined || data.top.children.length === 0) return null;
  const { top, origin } = data;
  return (
    <section class="tree" aria-labelledby="delegation">
      <h2 id="delegation">{hasFollowers(top) ? "Delegation and what followed" : "Delegation"}</h2>
      {origin !== null && (
        <p class="muted small">
          Forked from <ForkOrigin from={origin} />
        </p>
      )}
      <ul>
        <BranchItem branch={top} here={execution.id} />
      </ul>
    </section>
  );
}

function hasFollowers({ children }: Branch): boolean {
  return children.some((one) =>
    one.execution.after_execution_id !== undefined || hasFollowers(one)
  );
}

function BranchItem({ branch, here }: { branch: Branch; here: number }): VNode {
  const { id, agent_id, status, trigger, total_tokens, cost_usd } = branch.execution;
  const isHere = id === here;
  return (
    <li>
      <div class="branch">
        <ExecutionLink
          id={id}
          agentId={agent_id}
          class={isHere ? "here" : undefined}
          aria-current={isHere ? "true" : undefined}
        />
        <Status status={status} />
        <span class="muted small">
          {trigger === "after" && "followed, "}
          {total_tokens !== null && `${formatCount(total_tokens)} tokens`}
          {cost_usd !== null && `, ${formatCost(cost_usd)}`}
        </span>
      </div>
      {branch.children.length > 0 && (
        <ul>
          {branch.children.map((child) => (
            <BranchItem key={child.execution.id} branch={child} here={here} />
          ))}
          {branch.hasMore && <li class="muted">and more</li>}
        </ul>
      )}
    </li>
  );
}

/** The execution that another one took its first steps from. */
export function ForkOrigin(
  { from: { execution_id: id, step } }: { from: NonNullable<ExecutionDetail["forked_from"]> },
): VNode {
  return (
    <a href={executionHref(id)}>
      execution {id}, {step === 0 ? "its beginning" : `step ${step}`}
    </a>
  );
}

async function loadTree(
  client: Client,
  execution: ExecutionDetail,
): Promise<{ top: Branch; origin: ExecutionDetail["forked_from"] }> {
  let top = execution;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const above = top.parent_execution_id ?? top.after_execution_id;
    if (above === undefined) break;
    const found = await orMissing(client.execution(above));
    // The execution before it was removed since.
    if (found === undefined) break;
    top = found;
  }
  return { top: await loadBranch(client, top, DEEPEST), origin: top.forked_from };
}

async function loadBranch(
  client: Client,
  execution: ExecutionSummary,
  depth: number,
): Promise<Branch> {
  if (depth === 0) return { execution, children: [], hasMore: false };
  const limit = MOST_CHILDREN + 1;
  const [delegated, followers] = await Promise.all([
    client.executions({ parent: execution.id, limit }),
    client.executions({ follows: execution.id, limit }),
  ]);
  const found = [...delegated, ...followers].sort((a, b) => b.id - a.id);
  const oldestFirst = found.slice(0, MOST_CHILDREN).reverse();
  const children = await Promise.all(
    oldestFirst.map((child) => loadBranch(client, child, depth - 1)),
  );
  return { execution, children, hasMore: found.length > MOST_CHILDREN };
}
