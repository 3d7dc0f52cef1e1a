// Form fields with their labels, and dialogs.
import type { ComponentChildren, JSX, VNode } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button, Problem } from "./parts.tsx";
import { useSending } from "./state/use_resource.ts";

/** The attributes that tie a control to its label and its hint. */
interface ControlAttributes {
  id: string;
  "aria-describedby"?: string;
}

/** A control under its label, with a hint where there is one. */
export function Field(
  { label, hint, layout, children }: {
    label: ComponentChildren;
    hint?: string;
    layout?: "inline" | "grow" | undefined;
    children: (control: ControlAttributes) => ComponentChildren;
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

/** A choice of one; `hasAll`: or of all, which is the empty text. */
export function SelectField(
  { label, value, options, onChoose, nameOf = (one) => one, hasAll = true, isFilter, layout }: {
    label: string;
    value: string;
    options: readonly string[];
    onChoose: (value: string) => void;
    nameOf?: (option: string) => string;
    hasAll?: boolean;
    /** True: the page's key for the filter moves the focus here. */
    isFilter?: boolean;
    layout?: "inline";
  },
): VNode {
  return (
    <Field label={label} layout={layout}>
      {(control) => (
        <select
          {...control}
          data-filter={isFilter}
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

/** The text that a list is narrowed down by. */
export function SearchField(
  { label, value, onInput, layout }: {
    label: string;
    value: string;
    onInput: (text: string) => void;
    layout: "inline" | "grow";
  },
): VNode {
  return (
    <Field label={label} layout={layout}>
      {(control) => (
        <input
          {...control}
          type="search"
          data-filter
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
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

/** Something that is on or off, or one of several. */
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

/** Lines that a field for a text has at once. */
export function rowsOf(text: string, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, text.split("\n").length));
}

/**
 * For `onKeyDown` of a form. It is sent without leaving its text: Enter is a line there, Ctrl+Enter (on a Mac also Cmd+Enter)
 * sends. A form whose button is disabled is not sent.
 */
export function submitByKeys(event: KeyboardEvent): void {
  const isWanted = event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing;
  const { currentTarget: form } = event;
  if (!isWanted || !(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  if (button?.disabled === false) form.requestSubmit(button);
}

/** A dialog over the page; closes by Escape, or by closeDialog(). */
export function Dialog(props: JSX.IntrinsicElements["dialog"]): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return <dialog {...props} ref={dialog} />;
}

/** Closes the dialog that is open: there is one at a time. */
export function closeDialog(): void {
  document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
}

/** A dialog with fields that are sent; closes by Escape, by its button, or when they were taken. */
export function FormDialog(
  { title, action, does, onSend, onClose, children }: {
    title: ComponentChildren;
    /** The label of its button, and the description of its keys. */
    action: string;
    does: string;
    /** Rejects with what is wrong. */
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
          <span class="hint with-keys">Ctrl+Enter also {does}.</span>
        </div>
      </form>
    </Dialog>
  );
}
