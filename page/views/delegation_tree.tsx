// The tree of an execution: the executions that delegated to it or started it, and those that it delegated to or started.
import type { VNode } from "preact";
import { type Client, orMissing } from "../../api/client/client.ts";
import type { ExecutionDetail, ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { formatCost, formatCount } from "../parts/format.ts";
import { ExecutionLink, Status } from "../parts/parts.tsx";
import { executionHref } from "../state/route.ts";
import { useResource } from "../state/use_resource.ts";

/** The maximum number of shown children of an execution. */
const MOST_CHILDREN = 50;
/** The maximum depth of the tree. */
const DEEPEST = 6;

interface Branch {
  execution: ExecutionSummary;
  children: Branch[];
  /** True if there are more children than shown. */
  hasMore: boolean;
}

/** Renders the whole tree of an execution. */
export function DelegationTree({ execution }: { execution: ExecutionDetail }): VNode | null {
  const { data } = useResource((client) => loadTree(client, execution), {
    key: String(execution.id),
    topics: ["executions"],
  });
  if (data === undefined || data.top.children.length === 0) return null;
  const { top, origin } = data;
  return (
    <section class="tree" aria-labelledby="delegation">
      <h2 id="delegation">
        {hasFollowers(top) ? "Delegation and following runs" : "Delegation"}
      </h2>
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

/** Renders a link to the execution and the step from which a forked execution was made. */
export function ForkOrigin(
  { from: { execution_id: id, step } }: { from: NonNullable<ExecutionDetail["forked_from"]> },
): VNode {
  return (
    <a href={executionHref(id)}>
      execution {id}, {step === 0 ? "the opening" : `step ${step}`}
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
    // The parent execution was removed.
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
