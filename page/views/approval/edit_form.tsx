// The form that edits the arguments of a call before its approval, with one field for each argument.
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { JsonObject } from "../../../base/json.ts";
import type { PreviewBody } from "../../../api/schemas/request_schemas.ts";
import {
  type FieldProblems,
  readArgumentFields,
  toArgumentFields,
  toFieldProblems,
} from "../../state/edited_arguments.ts";
import { errorMessage } from "../../state/resource.ts";
import { Field, leaveOrSubmit, rowsOf } from "../../parts/forms.tsx";
import { Button, Problem } from "../../parts/parts.tsx";
import { PreviewedChange } from "./call_details.tsx";

/** The maximum height of a field in lines. */
const MOST_ROWS = 16;

/**
 * Renders the form for the arguments. `onApprove` gets the arguments, or null for unchanged ones. For a call that changes a
 * file, `onPreview` returns the change with edited arguments. Both throw if the service refuses.
 */
export function EditForm(
  { args, isSending, onApprove, onPreview, onBack }: {
    args: JsonObject;
    isSending: boolean;
    onApprove: (args: JsonObject | null) => Promise<void>;
    onPreview: ((args: JsonObject) => Promise<PreviewBody | null>) | null;
    onBack: () => void;
  },
): VNode {
  const [fields, setFields] = useState(() => toArgumentFields(args));
  const [problems, setProblems] = useState<FieldProblems>({});
  const [preview, setPreview] = useState<PreviewBody | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("textarea")?.focus(), []);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problems]);
  /** Calls `act` with the edited arguments. Shows the messages of a refusal beside the fields that they name. */
  const use = async (act: (edited: JsonObject) => Promise<void>) => {
    const read = readArgumentFields(fields);
    if ("problems" in read) return setProblems(read.problems);
    setProblems({});
    try {
      await act(read.args);
    } catch (error) {
      const refused = toFieldProblems(error, fields.map(({ name }) => name));
      setProblems(refused ?? { "": errorMessage(error) });
    }
  };
  const send = (event: Event) => {
    event.preventDefault();
    const isSame = (edited: JsonObject) => JSON.stringify(edited) === JSON.stringify(args);
    return use((edited) => onApprove(isSame(edited) ? null : edited));
  };
  const { "": general } = problems;
  return (
    <form
      class="answer edit"
      ref={form}
      onSubmit={send}
      onKeyDown={leaveOrSubmit(onBack)}
      tabIndex={-1}
    >
      <p class="hint">
        The tool is called with these arguments, and the agent is informed of your changes.
      </p>
      {fields.map((field, index) => {
        const { name, isJson, text } = field;
        const problem = problems[name];
        return (
          <Field
            key={name}
            label={
              <>
                {name}
                {isJson && <span class="hint">JSON</span>}
              </>
            }
          >
            {({ id }) => (
              <>
                <textarea
                  id={id}
                  class={isJson ? "code" : undefined}
                  rows={rowsOf(text, { least: 1, most: MOST_ROWS })}
                  dir="auto"
                  value={text}
                  aria-invalid={problem !== undefined}
                  aria-describedby={problem === undefined ? undefined : `${id}-problem`}
                  onInput={({ currentTarget }) => {
                    setFields(fields.with(index, { ...field, text: currentTarget.value }));
                    setPreview(null);
                  }}
                />
                {problem !== undefined && (
                  <p class="failure small" id={`${id}-problem`} role="alert">{problem}</p>
                )}
              </>
            )}
          </Field>
        );
      })}
      <Problem text={general ?? null} />
      {preview !== null && <PreviewedChange preview={preview} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={isSending}>Approve with changes</button>
        {onPreview !== null && (
          <Button
            onClick={() => use(async (edited) => setPreview(await onPreview(edited)))}
          >
            Show the change
          </Button>
        )}
        <Button onClick={onBack}>Back</Button>
        <span class="hint with-keys">Ctrl+Enter also approves.</span>
      </div>
    </form>
  );
}
