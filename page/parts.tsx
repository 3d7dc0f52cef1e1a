// The small things that all views are made of: statuses, times, agents, folded texts, states of loading.
import type { ComponentChildren, JSX, VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { ExecutionStatus } from "../runtime/executions/states.ts";
import { beginningOf } from "../base/text/cut_text.ts";
import { formatMoment, formatRelative } from "./format.ts";
import { executionHref } from "./route.ts";
import { useAgents } from "./state/service_context.ts";
import type { Resource } from "./state/resource.ts";
import { useNow } from "./state/use_resource.ts";

/** A status as a word with a mark; colour alone would not tell it to everybody. */
export function Status({ status }: { status: ExecutionStatus }): VNode {
  return <span class={`status ${status}`}>{status}</span>;
}

/** How often relative times are drawn anew. */
const REFRESH_MS = 10_000;

/** A time relative to now, with the exact one as its title. `at` is a timestamp. */
export function When({ at }: { at: string }): VNode {
  const now = useNow(REFRESH_MS);
  const ms = Date.parse(at);
  return <time dateTime={at} title={formatMoment(ms)}>{formatRelative(ms, now)}</time>;
}

/** An agent by its icon and its name. The icon says nothing that the name does not. */
export function AgentName({ icon, name }: { icon?: string | undefined; name: string }): VNode {
  return (
    <span class="agent-name">
      <span class="icon" aria-hidden="true">{icon ?? "·"}</span>
      <bdi>{name}</bdi>
    </span>
  );
}

/** The agent with this id; one that is not known (any more) by that. */
export function Agent({ id }: { id: string }): VNode {
  const agent = useAgents().get(id);
  return <AgentName icon={agent?.icon} name={agent?.display_name ?? id} />;
}

/** An execution by its agent and its number, and the way to it. */
export function ExecutionLink(
  { id, agentId, ...attributes }: {
    id: number;
    agentId: string;
    "data-row"?: boolean;
    "aria-current"?: "true" | undefined;
    class?: string | undefined;
  },
): VNode {
  return (
    <a {...attributes} href={executionHref(id)}>
      <Agent id={agentId} /> <span class="muted">#{id}</span>
    </a>
  );
}

/** A button that submits nothing. */
export function Button(props: JSX.IntrinsicElements["button"]): VNode {
  return <button type="button" {...props} />;
}

/** What stands where a view's content will be, or where there is none. */
export function Loading(): VNode {
  return <p class="muted" role="status">Loading …</p>;
}

/** A problem of one view. */
export function Problem({ text }: { text: string | null }): VNode | null {
  return text === null ? null : <p class="problem" role="alert">{text}</p>;
}

/** Shows an error, or that the thing loads; nothing once its data is there. */
export function LoadState({ of: { data, problem } }: { of: Resource<unknown> }): VNode | null {
  return data === undefined && problem === null ? <Loading /> : <Problem text={problem} />;
}

/** What stands where a thing's page will be; or why there is none, and where to go from there. */
export function Unshown(
  { title, problem, children }: {
    title: string;
    problem: string | null;
    children: ComponentChildren;
  },
): VNode {
  return (
    <>
      <h1>{title}</h1>
      <LoadState of={{ data: undefined, problem, isStale: false }} />
      {problem !== null && <p>{children}</p>}
    </>
  );
}

/** Nothing to show, and what would put something here. */
export function Empty({ children }: { children: ComponentChildren }): VNode {
  return <p class="empty">{children}</p>;
}

/** The characters of a text that are drawn before somebody asks for more. */
const SHOWN_CHARACTERS = 20_000;

/** Text as it is, at first only its beginning when it is very long. */
export function Preformatted({ text, label }: { text: string; label: string }): VNode {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > SHOWN_CHARACTERS;
  return (
    <>
      <pre class="plain" tabIndex={0} role="region" aria-label={label} dir="auto">
        {isCut ? beginningOf(text, SHOWN_CHARACTERS) : text}
      </pre>
      {isCut && (
        <Button class="quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </Button>
      )}
    </>
  );
}

/** Something that opens when it is asked for; nothing is drawn before. */
export function Folded(
  props: { summary: ComponentChildren; children: () => ComponentChildren; isOpen?: boolean },
): VNode {
  const [isOpen, setOpen] = useState(props.isOpen ?? false);
  const id = useId();
  return (
    <div>
      <Button
        class="fold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{props.summary}</span>
      </Button>
      <div id={id} hidden={!isOpen}>{isOpen && props.children()}</div>
    </div>
  );
}

/** A figure with its name. */
export function Figure({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Figures by their names; what is null is left out. */
export function Figures({ of }: { of: Readonly<Record<string, ComponentChildren>> }): VNode {
  return (
    <dl class="figures">
      {Object.entries(of).map(([name, value]) =>
        value !== null && <Figure key={name} name={name}>{value}</Figure>
      )}
    </dl>
  );
}

/** The head of a view about one thing: what sort of thing, its name, and what can be done with it. */
export function ThingHead(
  { crumb, title, lead, stays = false, children }: {
    crumb: ComponentChildren;
    title: ComponentChildren;
    /** A sentence about it. */
    lead?: string;
    /** True: it stays visible while the page scrolls. */
    stays?: boolean;
    children?: ComponentChildren;
  },
): VNode {
  return (
    <header class={stays ? "view-head stays" : "view-head"}>
      <div>
        <p class="crumb">{crumb}</p>
        <h1>{title}</h1>
        {lead && <p class="lead" dir="auto">{lead}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}

/** The head of a table; from the column `numbersFrom` on there are numbers. */
export function TableHead(
  { names, numbersFrom = Infinity }: { names: readonly string[]; numbersFrom?: number },
): VNode {
  return (
    <thead>
      <tr>
        {names.map((name, index) => (
          <th key={name} scope="col" class={index < numbersFrom ? undefined : "number"}>{name}</th>
        ))}
      </tr>
    </thead>
  );
}
