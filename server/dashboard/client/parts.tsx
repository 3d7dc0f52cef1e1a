// The small things that all views are made of: statuses, times, folded texts, states of loading.
import type { ComponentChildren, VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { ExecutionStatus } from "../../../runtime/executions/states.ts";
import { beginningOf } from "../../../base/text/cut_text.ts";
import { formatMoment, formatRelative } from "./format.ts";
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

/** What stands where a view's content will be, or where there is none. */
export function Loading(): VNode {
  return <p class="muted" role="status">Loading …</p>;
}

/** A problem of one view. */
export function Problem({ text }: { text: string }): VNode {
  return <p class="problem" role="alert">{text}</p>;
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
      {problem === null ? <Loading /> : (
        <>
          <Problem text={problem} />
          <p>{children}</p>
        </>
      )}
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
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
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
      <button
        type="button"
        class="fold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{props.summary}</span>
      </button>
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

/** So many rows are still looked through without a filter. */
const FEW_ROWS = 5;

/** A choice among the kinds of trigger that a list has; nothing where the list is short or has one kind. */
export function TriggerFilter(
  { kinds, chosen, onChoose }: {
    /** The kind of each row. */
    kinds: readonly string[];
    /** Empty for all. */
    chosen: string;
    onChoose: (kind: string) => void;
  },
): VNode | null {
  const id = useId();
  const options = [...new Set([...kinds, ...(chosen === "" ? [] : [chosen])])].sort();
  if (chosen === "" && (kinds.length <= FEW_ROWS || options.length < 2)) return null;
  return (
    <div class="field inline">
      <label for={id}>Trigger</label>
      <select
        id={id}
        value={chosen}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        <option value="">all</option>
        {options.map((kind) => <option key={kind} value={kind}>{kind}</option>)}
      </select>
    </div>
  );
}
