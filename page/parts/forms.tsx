// Form fields with their labels, and dialogs.
import type { ComponentChildren, JSX, VNode } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button, Problem } from "./parts.tsx";
import { useAgents } from "../state/service_context.ts";
import { useSending } from "../state/use_resource.ts";

/** Renders a control with its label and an optional hint. */
export function Field(
  { label, hint, layout, children }: {
    label: ComponentChildren;
    hint?: string;
    layout?: "inline" | "grow" | undefined;
    /** Renders the control with the attributes that connect it with its label and its hint. */
    children: (control: { id: string; "aria-describedby"?: string }) => ComponentChildren;
  },
): VNode {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class={layout === undefined ? "field" : `field ${layout}`}>
      <label for={id}>{label}</label>
      {children({ id, ...(hint !== undefined && { "aria-describedby": hintId }) })}
      {hint !== undefined && <p class="hint" id={hintId}>{hint}</p>}
    </div>
  );
}

/** Renders a select field. `hasAll` adds the option "all", whose value is the empty text. */
export function SelectField(
  { label, value, options, onChoose, nameOf = (one) => one, hasAll = true, layout }: {
    label: string;
    value: string;
    options: readonly string[];
    onChoose: (value: string) => void;
    nameOf?: (option: string) => string;
    hasAll?: boolean;
    layout?: "inline";
  },
): VNode {
  return (
    <Field label={label} layout={layout}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        >
          {hasAll && <option value="">all</option>}
          {options.map((one) => <option key={one} value={one}>{nameOf(one)}</option>)}
        </select>
      )}
    </Field>
  );
}

/** Renders a select field of the known agents. `chosen` is among its options even if the agent is unknown. */
export function AgentField(
  { chosen, onChoose }: { chosen: string | null; onChoose: (id: string | null) => void },
): VNode {
  const agents = useAgents();
  return (
    <SelectField
      label="Agent"
      value={chosen ?? ""}
      options={[...new Set([...agents.keys(), ...(chosen === null ? [] : [chosen])])]}
      nameOf={(one) => agents.get(one)?.display_name ?? one}
      onChoose={(one) => onChoose(one || null)}
    />
  );
}

/** Renders a field for a text of several lines, for a name, or for a text that filters the list of the view. */
export function TextField(
  { label, hint, layout, kind, onInput, ...attributes }: {
    label: string;
    hint?: string;
    layout?: "inline" | "grow";
    kind: "lines" | "name" | "filter";
    value: string;
    onInput: (text: string) => void;
    /** The height of a text of several lines. */
    rows?: number;
    placeholder?: string;
    required?: boolean;
    dir?: "auto";
  },
): VNode {
  return (
    <Field label={label} layout={layout} {...(hint !== undefined && { hint })}>
      {(control) => {
        const all = {
          ...{ ...control, ...attributes },
          onInput: (event: { currentTarget: { value: string } }) =>
            onInput(event.currentTarget.value),
        };
        if (kind === "lines") return <textarea {...all} />;
        return kind === "filter"
          ? <input {...all} type="search" data-filter />
          : <input {...all} type="text" autocomplete="off" spellcheck={false} />;
      }}
    </Field>
  );
}

/**
 * Renders a field that keeps unfinished input when the page renders. The field shows a new `value` only when `value`
 * changes.
 */
export function TypedField(
  { label, value, onEntered, ...attributes }:
    & { label: string; value: string; onEntered: (text: string) => void }
    & JSX.IntrinsicElements["input"],
): VNode {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (input.current !== null) input.current.value = value;
  }, [value]);
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          {...attributes}
          ref={input}
          onChange={({ currentTarget }) => onEntered(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Renders the fields of a period: its first and its last local day. Null means no limit. */
export function PeriodFields(
  { from, to, onEntered }: {
    from: string | null;
    to: string | null;
    onEntered: (change: { from?: string; to?: string }) => void;
  },
): VNode {
  return (
    <>
      <TypedField
        label="From"
        type="date"
        value={from ?? ""}
        onEntered={(day) => onEntered({ from: day })}
      />
      <TypedField
        label="To"
        type="date"
        value={to ?? ""}
        onEntered={(day) => onEntered({ to: day })}
      />
    </>
  );
}

/** The number of rows up to which a list has no filter. */
const FEW_ROWS = 5;

/** Renders a filter for the trigger types of a list, or nothing if the list is short or has a single type. */
export function TriggerFilter(
  { kinds, chosen, onChoose }: {
    /** The trigger type of each row of the list. */
    kinds: readonly string[];
    /** The chosen trigger type; empty for all. */
    chosen: string;
    onChoose: (kind: string) => void;
  },
): VNode | null {
  const options = [...new Set([...kinds, ...(chosen === "" ? [] : [chosen])])].sort();
  if (chosen === "" && (kinds.length <= FEW_ROWS || options.length < 2)) return null;
  return (
    <SelectField
      label="Trigger"
      layout="inline"
      value={chosen}
      options={options}
      onChoose={onChoose}
    />
  );
}

/** Renders a checkbox or a radio button with its label. */
export function Option(
  { children, onChange, ...attributes }: {
    checked: boolean;
    type?: "checkbox" | "radio";
    name?: string;
    "aria-describedby"?: string;
    onChange: (isOn: boolean) => void;
    children: ComponentChildren;
  },
): VNode {
  return (
    <label class="option">
      <input
        type="checkbox"
        {...attributes}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {children}
    </label>
  );
}

/** Returns the height of a text field in rows: the number of the text's lines, at least `least` and at most `most`. */
export function rowsOf(text: string, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, text.split("\n").length));
}

/**
 * Submits a form after Ctrl+Enter (on a Mac also Cmd+Enter), unless its button is disabled. Use as `onKeyDown` of the form.
 */
export function submitByKeys(event: KeyboardEvent): void {
  const { currentTarget: form, target } = event;
  const isMessage = target instanceof Element && target.matches("[data-message]") &&
    !event.shiftKey && matchMedia("(hover: hover)").matches;
  const isWanted = event.key === "Enter" && !event.isComposing &&
    (event.ctrlKey || event.metaKey || isMessage);
  if (!isWanted || !(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  if (button?.disabled === false) form.requestSubmit(button);
}

/** Returns a handler for `onKeyDown` of a form that Escape leaves, and that Ctrl+Enter submits. */
export function leaveOrSubmit(onLeave: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key === "Escape" && !event.isComposing) onLeave();
    else submitByKeys(event);
  };
}

/** Renders a modal dialog. Escape and closeDialog() close it. */
export function Dialog(props: JSX.IntrinsicElements["dialog"]): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return <dialog {...props} ref={dialog} />;
}

/** Closes the open dialog. At most one dialog is open. */
export function closeDialog(): void {
  document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
}

/** Renders a modal dialog with a form. Escape, the Cancel button and a successful submit close the dialog. */
export function FormDialog(
  { title, action, onSend, onClose, children }: {
    title: ComponentChildren;
    /** The label of the submit button. */
    action: string;
    /** Sends the form. Rejects with the error to show. */
    onSend: () => Promise<void>;
    onClose: () => void;
    children: ComponentChildren;
  },
): VNode {
  const heading = useId();
  const { isSending, problem, send } = useSending();
  const onSubmit = (event: Event) => {
    event.preventDefault();
    send(async () => {
      await onSend();
      onClose();
    });
  };
  return (
    <Dialog aria-labelledby={heading} onClose={onClose}>
      <form onSubmit={onSubmit} onKeyDown={submitByKeys}>
        <h2 id={heading}>{title}</h2>
        {children}
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="primary" disabled={isSending}>{action}</button>
          <Button onClick={closeDialog}>Cancel</Button>
          <span class="hint with-keys">Or press Ctrl+Enter.</span>
        </div>
      </form>
    </Dialog>
  );
}
