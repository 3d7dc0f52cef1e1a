// Renders the card of an open question with its answer form: an approval, a text, or a choice. The question is shown in
// full, including invisible characters, because the person decides by its text.
import type { VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { commandOf } from "../../present/asked_command.ts";
import { describeApprovals } from "../../present/asked_approvals.ts";
import { toVisible } from "../../present/visible_text.ts";
import { describeWaitingRuns, signInServerOf } from "../../present/asked_sign_in.ts";
import type { JsonObject } from "../../base/json.ts";
import type { PendingBody, RespondBody } from "../../api/schemas/request_schemas.ts";
import { findBuiltinTool } from "../../runtime/vocabulary/builtin_tools.ts";
import { formatRelative } from "../parts/format.ts";
import { Field, Option, submitByKeys, TextField } from "../parts/forms.tsx";
import { SignInButton } from "../parts/sign_in_button.tsx";
import { Button, Problem, RelativeTime } from "../parts/parts.tsx";
import { AlwaysForm } from "./approval/always_form.tsx";
import { EditForm } from "./approval/edit_form.tsx";
import { CallDetails, SwitchableText } from "./approval/call_details.tsx";
import { usePerson, useService } from "../state/service_context.ts";
import { errorMessage } from "../state/resource.ts";
import { useNow } from "../state/use_resource.ts";

type Answer = RespondBody["response"];

/** Renders the card of a question. `title` names the agent. */
export function PendingRequest(
  { pending, title, level }: { pending: PendingBody; title: VNode; level: 2 | 3 },
): VNode {
  const { client, link, announce } = useService();
  const [state, setState] = useState<"open" | "sending" | "answered">("open");
  const [problem, setProblem] = useState<string | null>(null);
  const card = useRef<HTMLElement>(null);
  const heading = useId();
  const runs = describeWaitingRuns(pending);
  const approvals = describeApprovals(pending);
  const kind = findBuiltinTool(pending.tool_name)?.kind;
  // A tool that neither deletes nor sends: its approval by key needs a single press.
  const isReversible = kind === "edit" || kind === "move";
  /** Sends the answer. Throws if the service refuses it. */
  const send = async (response: Answer) => {
    // Check the focus before the button is disabled and loses the focus.
    const isHere = card.current?.contains(document.activeElement) ?? false;
    setState("sending");
    setProblem(null);
    try {
      const { execution_id: id, request_id } = pending;
      const { status } = await client.respond(id, { request_id, response, via: "page" });
      setState(status === "waiting" ? "open" : "answered");
      announce(
        status === "waiting"
          ? "Approved: other people must approve, too."
          : "Answered: the execution continues.",
      );
      if (status === "waiting") return;
      if (isHere) focusBeside(card.current);
    } catch (error) {
      setState("open");
      if (isHere) card.current?.focus();
      throw error;
    } finally {
      link.markChanged("executions");
    }
  };
  const answer = (response: Answer) =>
    send(response).catch((error: unknown) => setProblem(errorMessage(error)));
  const Heading = `h${level}` as const;
  return (
    <section
      class="request"
      ref={card}
      aria-labelledby={heading}
      tabIndex={-1}
      data-row
      data-request={pending.kind}
      data-careful={pending.is_guard && !isReversible ? pending.tool_name : undefined}
    >
      <div class="head">
        <Heading id={heading}>{title}</Heading>
        <p class="muted small">
          {runs !== undefined && `${runs}. `}Asked <RelativeTime at={pending.created_at} />
          {pending.expires_at !== null && <Deadline at={pending.expires_at} />}
          {approvals !== undefined && `. ${approvals}`}
        </p>
      </div>
      {pending.is_guard
        ? <p class="question" dir="auto">{toVisible(pending.message)}</p>
        : <SwitchableText text={pending.message} label="The question" isProse />}
      {(pending.is_guard || hasArguments(pending)) && <CallDetails pending={pending} />}
      <AnswerForm
        pending={pending}
        isSending={state !== "open"}
        onAnswer={answer}
        onEdited={(args) => send({ approved: true, ...(args !== null && { arguments: args }) })}
        onBack={() => card.current?.focus()}
      />
      <Problem text={problem} />
    </section>
  );
}

/** Returns true if the question's tool call has arguments to show. The arguments of ask_user are the question itself. */
function hasArguments({ tool_args, tool_name }: PendingBody): boolean {
  return Object.keys(tool_args).length > 0 && tool_name !== "ask_user";
}

/** Moves the focus from a card that is about to disappear to the next card, or to the view. */
function focusBeside(card: HTMLElement | null): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-request]")];
  const at = card === null ? -1 : cards.indexOf(card);
  const beside = cards[at + 1] ?? cards[at - 1] ?? document.querySelector<HTMLElement>("main");
  beside?.focus({ preventScroll: true });
  beside?.scrollIntoView({ block: "nearest" });
}

function Deadline({ at }: { at: string }): VNode {
  const now = useNow(1_000);
  return <>, denied automatically {formatRelative(Date.parse(at), now)}</>;
}

interface FormProps {
  pending: PendingBody;
  isSending: boolean;
  onAnswer: (answer: Answer) => Promise<void>;
  /** Approves the call with these arguments, or with the original arguments for null. Throws if the service refuses. */
  onEdited: (args: JsonObject | null) => Promise<void>;
  /** Called when the person returns from another form to the answer form. */
  onBack: () => void;
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

function ConfirmForm(props: FormProps): VNode {
  const { pending, isSending, onAnswer, onEdited } = props;
  const [reason, setReason] = useState("");
  const [form, setForm] = useState<"answer" | "edit" | "always">("answer");
  const { client } = useService();
  const { name, may, mayEditFiles } = usePerson();
  const hasApproved = name !== null && pending.approved_by?.includes(name) === true;
  const preview = async (args: JsonObject) => {
    const { execution_id: id, request_id } = pending;
    return (await client.previewArguments(id, { request_id, arguments: args })).preview;
  };
  const answer = (approved: boolean) =>
    onAnswer({ approved, ...(reason.trim() !== "" && { reason: reason.trim() }) });
  const approve = () => answer(true);
  const goBack = () => {
    props.onBack();
    setForm("answer");
  };
  if (form === "edit") {
    return (
      <EditForm
        // The cast is safe, because the arguments were parsed from JSON.
        args={pending.tool_args as JsonObject}
        isSending={isSending}
        onApprove={onEdited}
        onPreview={pending.preview === null ? null : preview}
        onBack={goBack}
      />
    );
  }
  if (form === "always") {
    return (
      <AlwaysForm
        agentId={pending.asked_by}
        tool={pending.tool_name}
        command={commandOf(pending)}
        isSending={isSending}
        onWritten={() => answer(true)}
        onBack={goBack}
      />
    );
  }
  const server = signInServerOf(pending);
  const hasFields = pending.is_guard && Object.keys(pending.tool_args).length > 0;
  return (
    <form class="answer" tabIndex={-1} onSubmit={(event) => event.preventDefault()}>
      <div class="actions">
        {
          // Only a sign-in continues the runs that wait for it.
          hasApproved
            ? <p class="muted">You have approved. Another person must approve, too.</p>
            : server === undefined
            ? (
              <Button class="primary" data-key="y" disabled={isSending} onClick={approve}>
                Approve
              </Button>
            )
            : <SignInButton server={server} class="primary" />
        }
        <Button data-key="d" disabled={isSending} onClick={() => answer(false)}>
          {server === undefined ? "Deny" : "Give up"}
        </Button>
        {hasFields && may("edit") && (
          <Button
            data-key="e"
            disabled={isSending}
            onClick={() => setForm("edit")}
          >
            Edit arguments
          </Button>
        )}
        {pending.is_guard && mayEditFiles && !hasApproved && (
          <Button
            disabled={isSending}
            onClick={() => setForm("always")}
          >
            Always for this agent
          </Button>
        )}
      </div>
      <Field label="Reason (optional)" layout="inline">
        {(control) => (
          <input
            {...control}
            type="text"
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        )}
      </Field>
    </form>
  );
}

function InputForm({ isSending, onAnswer }: FormProps): VNode {
  const [text, setText] = useState("");
  const send = (event: Event) => {
    event.preventDefault();
    onAnswer({ text });
  };
  return (
    <form class="answer" tabIndex={-1} onSubmit={send} onKeyDown={submitByKeys}>
      <TextField kind="lines" label="Your answer" rows={3} value={text} onInput={setText} />
      <div class="actions">
        <button type="submit" class="primary" disabled={isSending || text.trim() === ""}>
          Send
        </button>
        <span class="hint with-keys">Or press Ctrl+Enter.</span>
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
    <form class="answer" tabIndex={-1} onSubmit={send}>
      <fieldset>
        <legend>{multi ? "Choose one or more" : "Choose one"}</legend>
        {(pending.options ?? []).map((option) => (
          <Option
            key={option}
            type={multi ? "checkbox" : "radio"}
            name={name}
            checked={selected.includes(option)}
            onChange={(isOn) => choose(option, isOn)}
          >
            <span dir="auto">{toVisible(option)}</span>
          </Option>
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
