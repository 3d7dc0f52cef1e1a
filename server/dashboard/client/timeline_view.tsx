// An execution as a person reads it: step after step with its time, prompts and results folded.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { formatCost, formatCount, formatDuration, formatMoment, formatNumberOf } from "./format.ts";
import { Markdown } from "./markdown.tsx";
import { Folded, Preformatted } from "./parts.tsx";
import { toHash } from "./route.ts";
import { type Call, describeLatest, type Step, type StepUsage } from "./timeline.ts";

/** Steps that are drawn before somebody asks for the rest. */
const STEPS_AT_ONCE = 100;
/** A Markdown text longer than this is shown as it is: it would take the browser too long to lay out. */
const MARKDOWN_CHARACTERS = 100_000;
/** One line up to this length needs no fold. */
const SHORT_CHARACTERS = 120;

/** The steps, oldest first. */
export function Timeline(
  { steps, startedAt, isRunning, streaming }: {
    steps: readonly Step[];
    /** Milliseconds since the epoch. */
    startedAt: number;
    isRunning: boolean;
    /** The text that the model writes now. */
    streaming: string;
  },
): VNode {
  const [shown, setShown] = useState(STEPS_AT_ONCE);
  const hidden = Math.max(0, steps.length - shown);
  return (
    <>
      <ol class="timeline">
        {steps.slice(0, shown).map((step) => (
          <li key={step.id} class={`step ${step.kind}`}>
            <time
              class="at"
              dateTime={new Date(step.at).toISOString()}
              title={formatMoment(step.at)}
            >
              +{formatDuration(step.at - startedAt)}
            </time>
            <div class="content">
              <StepContent step={step} />
            </div>
          </li>
        ))}
        {isRunning && hidden === 0 && (
          <li class="step live">
            <span class="at">now</span>
            <div class="content">
              <h3>{streaming === "" ? describeLatest(steps) : "Writes"}</h3>
              {streaming !== "" && <p class="stream" dir="auto">{streaming}</p>}
            </div>
          </li>
        )}
      </ol>
      {hidden > 0 && (
        <button type="button" class="quiet" onClick={() => setShown(Infinity)}>
          Show {formatNumberOf(hidden, "more step")}
        </button>
      )}
    </>
  );
}

function StepContent({ step }: { step: Step }): VNode {
  switch (step.kind) {
    case "prompt":
      return <Prompt role={step.role} text={step.text} />;
    case "reply":
      return <Reply text={step.text} calls={step.calls} usage={step.usage} />;
    case "notice":
      return (
        <Folded summary={<span class="muted">{firstLine(step.text)}</span>}>
          {() => <Preformatted label="Notice" text={step.text} />}
        </Folded>
      );
    case "question":
      return (
        <>
          <h3>
            Asked {step.toolName !== "" && (
              <>
                by <code>{step.toolName}</code>
              </>
            )}
          </h3>
          <p dir="auto">{step.text}</p>
          {step.answer === null ? <p class="muted">No answer yet.</p> : (
            <p class="given" dir="auto">
              <span class="muted">Answer:</span> {step.answer}
            </p>
          )}
        </>
      );
    case "answer":
      return (
        <>
          <h3>Answer</h3>
          <Answer text={step.text} />
          {step.usage !== null && <Usage usage={step.usage} />}
        </>
      );
    case "end":
      return (
        <>
          <h3>Ended: {step.status}</h3>
          {step.error !== null && <p class="problem" dir="auto">{step.error}</p>}
        </>
      );
    default:
      return step satisfies never;
  }
}

/** Text in Markdown, unless it is of a length that only a file should have. */
export function Answer({ text }: { text: string }): VNode {
  return text.length > MARKDOWN_CHARACTERS
    ? <Preformatted label="Answer" text={text} />
    : <Markdown text={text} />;
}

function Prompt({ role, text }: { role: "system" | "user"; text: string }): VNode {
  const isShort = role === "user" && text.length < 300;
  const title = role === "system" ? "Prompt" : "Task";
  if (isShort) {
    return (
      <>
        <h3>{title}</h3>
        <p class="said" dir="auto">{text}</p>
      </>
    );
  }
  return (
    <>
      <h3>{title}</h3>
      <Folded summary={<span class="muted">{formatNumberOf(text.length, "character")}</span>}>
        {() => <Preformatted label={title} text={text} />}
      </Folded>
    </>
  );
}

function Reply(
  { text, calls, usage }: { text: string; calls: readonly Call[]; usage: StepUsage | null },
): VNode {
  return (
    <>
      {(text !== "" || calls.length === 0) && <h3>Reply</h3>}
      {text !== "" && <Answer text={text} />}
      {calls.map((call) => <ToolCall key={call.id} call={call} />)}
      {usage !== null && <Usage usage={usage} />}
    </>
  );
}

function Usage({ usage }: { usage: StepUsage }): VNode {
  return (
    <p class="muted small used">
      {formatCount(usage.inputTokens)} tokens in, {formatCount(usage.outputTokens)} out
      {usage.costUsd !== null && `, ${formatCost(usage.costUsd)}`}
    </p>
  );
}

function ToolCall({ call }: { call: Call }): VNode {
  const { name, args, result, childId } = call;
  const state = result === null ? "under way" : result.isError ? "failed" : "done";
  return (
    <div class={`call ${result?.isError ? "failed" : ""}`}>
      <h3>
        <code>{name}</code>
        <span class="muted">
          {state}
          {result?.durationMs != null && `, ${formatDuration(result.durationMs)}`}
        </span>
        {childId !== null && (
          <a href={toHash({ view: "execution", id: childId })}>execution {childId}</a>
        )}
      </h3>
      <Excerpt label={`Arguments of ${name}`} text={args} isMuted>{indented}</Excerpt>
      {result !== null && (
        <Excerpt label={`Result of ${name}`} text={result.content || "an empty result"}>
          {(text) =>
            text}
        </Excerpt>
      )}
    </div>
  );
}

/** A text's beginning, with all of it behind a fold; a short one as it is. `children` lays the whole out. */
function Excerpt(
  { label, text, isMuted = false, children }: {
    label: string;
    text: string;
    isMuted?: boolean;
    children: (text: string) => string;
  },
): VNode {
  const tone = isMuted ? "muted" : "";
  if (text.length <= SHORT_CHARACTERS && !text.trim().includes("\n")) {
    return <p class={`excerpt ${tone}`} dir="auto">{text}</p>;
  }
  return (
    <Folded summary={<span class={`excerpt ellipsis ${tone}`}>{firstLine(text)}</span>}>
      {() => <Preformatted label={label} text={children(text)} />}
    </Folded>
  );
}

function firstLine(text: string): string {
  return text.slice(0, 300).trimStart().split("\n")[0] ?? "";
}

/** Arguments that are JSON, laid out; others as they came. */
function indented(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    return args;
  }
}
