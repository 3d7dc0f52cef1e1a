// A question to a person, answered where it stands: yes or no, a text, or a choice. What it asks is shown with all that is
// in it: a person decides by it.
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { PendingBody, RespondBody } from "../../../schemas/request_schemas.ts";
import { formatRelative } from "../format.ts";
import { Folded, Preformatted, When } from "../parts.tsx";
import { useService } from "../state/service_context.ts";
import { submitByKeys } from "../submit_by_keys.ts";
import { toSentence } from "../state/resource.ts";
import { useNow } from "../state/use_resource.ts";
import { toVisible } from "../visible_text.ts";

type Answer = RespondBody["response"];

/** The question with its form, under a heading that names who asks. */
export function PendingRequest(
  { pending, title, level }: { pending: PendingBody; title: VNode; level: 2 | 3 },
): VNode {
  const { client, link, announce } = useService();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const heading = useId();
  const answer = async (response: Answer) => {
    setSending(true);
    setProblem(null);
    try {
      await client.respond(pending.execution_id, { request_id: pending.request_id, response });
      announce("Answered: the execution continues.");
    } catch (error) {
      setProblem(toSentence(error));
    } finally {
      setSending(false);
      link.touch("executions");
    }
  };
  const Heading = `h${level}` as const;
  const hasArguments = Object.keys(pending.tool_args).length > 0 &&
    pending.tool_name !== "ask_user";
  return (
    <section class="request" aria-labelledby={heading}>
      <Heading id={heading}>{title}</Heading>
      <p class="question" dir="auto">{toVisible(pending.message)}</p>
      {hasArguments && (
        <Folded
          isOpen
          summary={
            <>
              What <code>{toVisible(pending.tool_name)}</code> would do
            </>
          }
        >
          {() => (
            <Preformatted
              label={`Arguments of ${pending.tool_name}`}
              text={toVisible(JSON.stringify(pending.tool_args, null, 2))}
            />
          )}
        </Folded>
      )}
      <AnswerForm pending={pending} isSending={isSending} onAnswer={answer} />
      {problem !== null && <p class="problem" role="alert">{problem}</p>}
      <p class="muted small">
        Asked <When at={pending.created_at} />
        {pending.expires_at !== null && <Deadline at={pending.expires_at} />}
      </p>
    </section>
  );
}

function Deadline({ at }: { at: string }): VNode {
  const now = useNow(1_000);
  return <>, counts as denied {formatRelative(Date.parse(at), now)}</>;
}

interface FormProps {
  pending: PendingBody;
  isSending: boolean;
  onAnswer: (answer: Answer) => void;
}

function AnswerForm(props: FormProps): VNode {
  switch (props.pending.kind) {
    case "confirm":
      return <ConfirmForm {...props} />;
    case "input":
      return <InputForm {...props} />;
    case "choice":
      return <ChoiceForm {...props} />;
    default:
      return props.pending.kind satisfies never;
  }
}

function ConfirmForm({ isSending, onAnswer }: FormProps): VNode {
  const [reason, setReason] = useState("");
  const field = useId();
  const answer = (approved: boolean) =>
    onAnswer({ approved, ...(reason.trim() !== "" && { reason: reason.trim() }) });
  return (
    <form class="answer" onSubmit={(event) => event.preventDefault()}>
      <label for={field}>Reason (optional)</label>
      <input
        id={field}
        type="text"
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <div class="actions">
        <button type="button" class="primary" disabled={isSending} onClick={() => answer(true)}>
          Approve
        </button>
        <button type="button" disabled={isSending} onClick={() => answer(false)}>Deny</button>
      </div>
    </form>
  );
}

function InputForm({ isSending, onAnswer }: FormProps): VNode {
  const [text, setText] = useState("");
  const field = useId();
  const send = (event: Event) => {
    event.preventDefault();
    onAnswer({ text });
  };
  return (
    <form class="answer" onSubmit={send} onKeyDown={submitByKeys}>
      <label for={field}>Your answer</label>
      <textarea
        id={field}
        rows={3}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="actions">
        <button type="submit" class="primary" disabled={isSending || text.trim() === ""}>
          Send
        </button>
        <span class="hint with-keys">Ctrl+Enter also sends it.</span>
      </div>
    </form>
  );
}

function ChoiceForm({ pending, isSending, onAnswer }: FormProps): VNode {
  const [selected, setSelected] = useState<readonly string[]>([]);
  const name = useId();
  const { multi } = pending;
  const choose = (option: string, isOn: boolean) => {
    const others = multi ? selected.filter((one) => one !== option) : [];
    setSelected(isOn ? [...others, option] : others);
  };
  const send = (event: Event) => {
    event.preventDefault();
    onAnswer({ selected: (pending.options ?? []).filter((one) => selected.includes(one)) });
  };
  return (
    <form class="answer" onSubmit={send}>
      <fieldset>
        <legend>{multi ? "Choose one or more" : "Choose one"}</legend>
        {(pending.options ?? []).map((option) => (
          <label key={option} class="option">
            <input
              type={multi ? "checkbox" : "radio"}
              name={name}
              checked={selected.includes(option)}
              onChange={(event) => choose(option, event.currentTarget.checked)}
            />
            <span dir="auto">{toVisible(option)}</span>
          </label>
        ))}
      </fieldset>
      <div class="actions">
        <button type="submit" class="primary" disabled={isSending || selected.length === 0}>
          Send
        </button>
      </div>
    </form>
  );
}
