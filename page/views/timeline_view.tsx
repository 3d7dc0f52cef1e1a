// The timeline of an execution: its steps with their times and tool calls. Prompts and long results are collapsed.
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatMoment,
  formatNumberOf,
} from "../parts/format.ts";
import { FormattedText, StreamingText } from "../parts/markdown.tsx";
import { Button, Collapsible, Preformatted } from "../parts/parts.tsx";
import type { ForkPlace } from "../parts/run_dialog.tsx";
import { executionHref } from "../state/route.ts";
import { delegatedOf, parseObject } from "../../present/payload.ts";
import {
  ArgumentTable,
  ChangedArguments,
  FileChange,
  SwitchableText,
} from "./approval/call_details.tsx";
import { type Call, describeLatest, type Step } from "../state/timeline.ts";
import { beginningOf } from "../../base/text/cut_text.ts";

/** The number of steps shown initially: the first steps and the newest. */
const STEPS_AT_ONCE = 100;
/** The number of first steps that are shown: the prompt and the task. */
const FIRST_STEPS = 2;

/** Renders the steps, oldest first. */
export function Timeline(
  { steps, executionId, wantedStep, startedAt, isRunning, streaming, onFork }: {
    steps: readonly Step[];
    executionId: number;
    /** The number of the step in the page's address, to which the view scrolls; null for none. */
    wantedStep: number | null;
    /** The start of the execution in milliseconds since the epoch. */
    startedAt: number;
    isRunning: boolean;
    /** The text of the reply that is streaming; empty between replies. */
    streaming: string;
    /** Called to fork the execution from a step; absent if the execution cannot be forked. */
    onFork?: ((from: ForkPlace) => void) | undefined;
  },
): VNode {
  const [shown, setShown] = useState(STEPS_AT_ONCE);
  const hidden = Math.max(0, steps.length - shown);
  const first = hidden === 0 ? steps.length : FIRST_STEPS;
  const item = (step: Step) => (
    <li key={step.id} class={`step ${step.kind}`} id={`step-${step.id}`}>
      <a class="at" href={executionHref(executionId, step.id)}>
        <time dateTime={new Date(step.at).toISOString()} title={formatMoment(step.at)}>
          {/* A fork copied the earlier steps from another execution. */}
          {step.at < startedAt ? "before" : `+${formatDuration(step.at - startedAt)}`}
        </time>
      </a>
      <div class="content">
        <StepContent step={step} />
        <StepFoot step={step} onFork={onFork} />
      </div>
    </li>
  );
  useEffect(() => {
    if (wantedStep === null) return;
    // Expand the list if it hides the step of the address.
    const index = steps.findIndex(({ id }) => id === wantedStep);
    if (index >= 0) setShown((before) => Math.max(before, steps.length - index + FIRST_STEPS));
    const element = document.getElementById(`step-${wantedStep}`);
    element?.scrollIntoView({ block: "center" });
    element?.querySelector<HTMLElement>(".at")?.focus({ preventScroll: true });
  }, [wantedStep, steps.length > 0, shown]);
  return (
    <ol class="timeline">
      {steps.slice(0, first).map(item)}
      {hidden > 0 && (
        <li class="step">
          <span class="at">…</span>
          <div class="content">
            <Button onClick={() => setShown(shown + STEPS_AT_ONCE)}>
              Show {Math.min(hidden, STEPS_AT_ONCE)} of {formatNumberOf(hidden, "hidden step")}
            </Button>
          </div>
        </li>
      )}
      {steps.slice(first + hidden).map(item)}
      {isRunning && (
        <li class="step live">
          <span class="at">now</span>
          <div class="content">
            <h3>{streaming === "" ? describeLatest(steps) : "Writing"}</h3>
            {streaming !== "" && <StreamingText text={streaming} />}
          </div>
        </li>
      )}
    </ol>
  );
}

/** Renders the foot of a step: its number for forks, and its usage. */
function StepFoot(
  { step, onFork }: { step: Step; onFork: ((from: ForkPlace) => void) | undefined },
): VNode | null {
  const usage = step.kind === "reply" || step.kind === "answer" ? step.usage : null;
  const number = "number" in step ? step.number : null;
  if (usage === null && number === null) return null;
  const isSettled = step.kind !== "reply" || step.calls.every(({ result }) => result !== null);
  return (
    <div class="muted small foot">
      {number !== null && number > 0 && <span>Step {number}</span>}
      {usage !== null && (
        <span>
          {formatCount(usage.inputTokens)} tokens in, {formatCount(usage.outputTokens)} out
          {usage.costUsd !== null && `, ${formatCost(usage.costUsd)}`}
        </span>
      )}
      {number !== null && onFork !== undefined && isSettled && (
        <Button
          class="quiet"
          aria-label={`Fork from here, ${number === 0 ? "the opening" : `step ${number}`}`}
          onClick={() => onFork({ step: number, isAnswer: isLast(step) })}
        >
          Fork from here
        </Button>
      )}
    </div>
  );
}

/** Returns true if the execution ends after this step unless a person adds a message. */
function isLast(step: Step): boolean {
  return step.kind === "answer" || step.kind === "reply" && step.calls.length === 0;
}

function StepContent({ step }: { step: Step }): VNode {
  switch (step.kind) {
    case "prompt":
      return <Prompt role={step.role} text={step.text} />;
    case "reply": {
      const { text, calls } = step;
      return (
        <>
          {(text !== "" || calls.length === 0) && <h3>Reply</h3>}
          {text !== "" && <FormattedText text={text} />}
          {calls.map((call) => <ToolCall key={call.id} call={call} />)}
        </>
      );
    }
    case "notice":
      return (
        <Collapsible summary={<span class="muted">{lineOf(step.text)}</span>}>
          {() => <Preformatted label="Notice" text={step.text} />}
        </Collapsible>
      );
    case "question":
      return (
        <>
          <h3>
            <span>
              Asked {step.toolName !== "" && (
                <>
                  by <code>{step.toolName}</code>
                </>
              )}
            </span>
          </h3>
          <p dir="auto">{step.text}</p>
          {step.answer === null ? <p class="muted">No answer yet.</p> : (
            <p class="given" dir="auto">
              <span class="muted">Answer{step.place && ` ${step.place}`}:</span> {step.answer}
            </p>
          )}
          {step.changed !== undefined && (
            <ChangedArguments
              before={step.args}
              after={step.changed}
              place={`in question ${step.requestId}`}
            />
          )}
        </>
      );
    case "answer":
      return (
        <>
          <h3>Answer</h3>
          <FormattedText text={step.text} />
        </>
      );
    case "end":
      return (
        <>
          <h3>Ended: {step.status}</h3>
          {step.error !== null && <p class="failure" dir="auto">{step.error}</p>}
        </>
      );
    default:
      return step satisfies never;
  }
}

function Prompt({ role, text }: { role: "system" | "user"; text: string }): VNode {
  const isShort = role === "user" && text.length < 300;
  const title = role === "system" ? "Prompt" : "Task";
  return (
    <>
      <h3>{title}</h3>
      {isShort ? <p class="said" dir="auto">{text}</p> : (
        <Collapsible
          summary={<span class="muted">{formatNumberOf(text.length, "character")}</span>}
        >
          {() => <Preformatted label={title} text={text} />}
        </Collapsible>
      )}
    </>
  );
}

/** The maximum length of a line that is not collapsed. */
const SHORT_CHARACTERS = 120;

/** Renders a call, with its result if the call has ended. */
function ToolCall({ call }: { call: Call }): VNode {
  const { id, name, args, result, childId } = call;
  const state = result === null ? "no result yet" : result.isError ? "failed" : "done";
  const given = parseObject(args);
  const change = result?.change ?? null;
  // A model may write invalid JSON, which is shown unchanged.
  const table = given === undefined
    ? <Excerpt label={`Arguments of ${name}`} text={args} tone="muted" />
    : <ArgumentTable tool={name} args={given} place={`in call ${id}`} />;
  return (
    <div class={`call ${result?.isError ? "failed" : ""}`}>
      <h3>
        <code>{name}</code>
        <span class="muted">
          {state}
          {result?.durationMs != null && `, ${formatDuration(result.durationMs)}`}
        </span>
        {childId !== null && <a href={executionHref(childId)}>execution {childId}</a>}
      </h3>
      {change === null && args.length <= SHORT_CHARACTERS ? table : (
        <Collapsible
          summary={
            <span class="excerpt ellipsis muted">
              {change === null ? lineOf(args) : `Arguments of ${name}`}
            </span>
          }
        >
          {() => table}
        </Collapsible>
      )}
      {change !== null && <FileChange preview={change} written={null} place={`by call ${id}`} />}
      {result !== null && <Result name={name} content={result.content} />}
    </div>
  );
}

/** Renders the result of a call: the answer of a delegated execution, a JSON object as a table, or a text. */
function Result({ name, content }: { name: string; content: string }): VNode {
  const label = `Result of ${name}`;
  const answer = name === "run_agent" ? delegatedOf(content)?.["output"] : undefined;
  if (typeof answer === "string") return <FormattedText text={answer} />;
  const fields = parseObject(content);
  if (fields === undefined) return <Excerpt label={label} text={content || "empty result"} />;
  return (
    <Collapsible summary={<span class="excerpt ellipsis">{lineOf(content)}</span>}>
      {() => <ArgumentTable tool={label} args={fields} place="as a table" />}
    </Collapsible>
  );
}

/** Renders a short text, or the collapsed beginning of a long text. */
function Excerpt(
  { label, text, tone = "" }: { label: string; text: string; tone?: string },
): VNode {
  if (text.length <= SHORT_CHARACTERS && !text.trim().includes("\n")) {
    return <p class={`excerpt ${tone}`} dir="auto">{text}</p>;
  }
  return (
    <Collapsible summary={<span class={`excerpt ellipsis ${tone}`}>{lineOf(text)}</span>}>
      {() => <SwitchableText label={label} text={text} />}
    </Collapsible>
  );
}

/** Returns the first line of a text, shortened. */
function lineOf(text: string): string {
  return beginningOf(text, 300).trimStart().split("\n")[0] ?? "";
}
