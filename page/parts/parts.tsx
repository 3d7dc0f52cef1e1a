// Defines the small components that all views share: statuses, times, agents, collapsible texts, loading states.
import type { ComponentChildren, JSX, VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import type { ExecutionStatus } from "../../runtime/executions/states.ts";
import { beginningOf } from "../../base/text/cut_text.ts";
import { formatMoment, formatRelative } from "./format.ts";
import { executionHref } from "../state/route.ts";
import { useAgents } from "../state/service_context.ts";
import type { Resource } from "../state/resource.ts";
import { useNow } from "../state/use_resource.ts";

/** Renders a status as a word with a mark, so that it can be recognized without colors. */
export function Status({ status }: { status: ExecutionStatus }): VNode {
  return <span class={`status ${status}`}>{status}</span>;
}

/** The interval between two updates of relative times, in milliseconds. */
const REFRESH_MS = 10_000;

/** Renders a relative time with the exact time as its title. `at` is a timestamp. */
export function RelativeTime({ at }: { at: string }): VNode {
  const now = useNow(REFRESH_MS);
  const ms = Date.parse(at);
  return <time dateTime={at} title={formatMoment(ms)}>{formatRelative(ms, now)}</time>;
}

/** The fields of an agent that its name shows. */
export type NamedAgent = Pick<AgentSummary, "icon" | "icon_set" | "display_name">;

/**
 * Renders the icon and the name of an agent. Without an icon in its file, renders the first letter of the name in a color
 * that the name determines. Screen readers skip the icon.
 */
export function AgentName(
  { of: { icon, icon_set, display_name: name } }: { of: NamedAgent },
): VNode {
  const tone = [...name].reduce((sum, one) => sum + (one.codePointAt(0) ?? 0), 0) % TONES;
  return (
    <span class="agent-name">
      {icon_set ? <span class="icon" aria-hidden="true">{icon}</span> : (
        <span
          class="icon letter"
          style={{ "--tone": `var(--series-${tone})` }}
          data-letter={[...name.toUpperCase()][0]}
          aria-hidden="true"
        />
      )}
      <bdi>{name}</bdi>
    </span>
  );
}

/** The number of colors of letters. */
const TONES = 6;

/** Renders the icon and the name of the agent with this id, or the id of an unknown agent. */
export function Agent({ id }: { id: string }): VNode {
  const agent = useAgents().get(id);
  return <AgentName of={agent ?? { icon: "", icon_set: false, display_name: id }} />;
}

/** Renders a link to an execution: its agent and its number. */
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

/** Renders a button that does not submit a form. */
export function Button(props: JSX.IntrinsicElements["button"]): VNode {
  return <button type="button" {...props} />;
}

/** Renders the placeholder of content that is loading. */
export function Loading(): VNode {
  return <p class="muted" role="status">Loading …</p>;
}

/** Renders an error message; nothing for null. */
export function Problem({ text }: { text: string | null }): VNode | null {
  return text === null ? null : <p class="problem" role="alert">{text}</p>;
}

/** Renders the error or the loading state of a resource; nothing once it has data. */
export function LoadState({ of: { data, problem } }: { of: Resource<unknown> }): VNode | null {
  return data === undefined && problem === null ? <Loading /> : <Problem text={problem} />;
}

/** Renders the placeholder of a page: its loading state, or its error with a link to another page. */
export function PagePlaceholder(
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

/** Renders the text of an empty list. */
export function Empty({ children }: { children: ComponentChildren }): VNode {
  return <p class="empty">{children}</p>;
}

/** The number of characters of a long text that are shown at first. */
const SHOWN_CHARACTERS = 20_000;

/** Renders preformatted text. A very long text starts truncated, with a button that shows it in full. */
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

/** Renders a collapsible section. Its content is rendered only while it is open. */
export function Collapsible(
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

/** Renders a value with its name. */
export function Figure({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Renders a list of values by name. Null values are omitted. */
export function Figures({ of }: { of: Readonly<Record<string, ComponentChildren>> }): VNode {
  return (
    <dl class="figures">
      {Object.entries(of).map(([name, value]) =>
        value !== null && <Figure key={name} name={name}>{value}</Figure>
      )}
    </dl>
  );
}

/** Renders the head of a view: its kind, its title, and its actions. */
export function ViewHead(
  { crumb, title, lead, stays = false, children }: {
    crumb: ComponentChildren;
    title: ComponentChildren;
    /** A description below the title. */
    lead?: string;
    /** True if the head remains visible while the page scrolls. */
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

/** Renders the head of a table. The columns from `numbersFrom` on contain numbers. */
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
