// Creates the pages of the links in messages: a question with its answer form, and the notices for a closed question.
import { toTimestamp } from "../../base/clock.ts";
import { escapeUnseen } from "../../base/text/unseen_characters.ts";
import type { HumanAnswer, HumanRequest } from "../../runtime/executions/human_request.ts";
import type {
  CallPreview,
  LinkedQuestion,
  PendingRequest,
} from "../../runtime/interface/runtime.ts";
import { type ApprovalRule, describeApprovers } from "../../runtime/vocabulary/approval_rule.ts";
import { SIGN_IN } from "../../runtime/vocabulary/tool_vocabulary.ts";
import { escapeHtml, noticePage } from "../html/notice_page.ts";

/** The headers that keep the page out of search engines and frames. */
const HEADERS = { "x-robots-tag": "noindex", "x-frame-options": "DENY" };

/** The maximum number of characters shown of one argument or diff. */
const MAX_SHOWN = 20_000;

const STYLE = `
.notice { padding-top: 2.5rem; max-width: 44rem; }
.notice .said { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 1.0625rem; }
.notice table { width: 100%; border-collapse: collapse; table-layout: fixed; margin-bottom: 1rem; }
.notice caption { text-align: left; font-weight: 600; padding-bottom: 0.25rem; }
.notice th, .notice td { text-align: left; vertical-align: top; padding: 0.5rem 0.5rem 0.5rem 0;
  border-top: 1px solid var(--rule); overflow-wrap: anywhere; }
.notice th { width: 30%; font-weight: 600; color: var(--faded); }
.notice td { white-space: pre-wrap; font-family: var(--mono); font-size: 0.875rem; }
.notice pre { font-family: var(--mono); font-size: 0.8125rem; max-height: 28rem; overflow: auto; }
.notice .added { color: var(--success); } .notice .removed { color: var(--error); }
.notice textarea { width: 100%; margin: 0.25rem 0 1rem; padding: 0.5rem 0.75rem; font: inherit;
  color: inherit; background: var(--sheet); border: 1px solid var(--edge); border-radius: 6px; }
.notice fieldset { border: 0; padding: 0; margin: 0 0 1rem; }
.notice legend { font-weight: 600; padding: 0; }
.notice .option { display: flex; gap: 0.75rem; align-items: baseline; min-height: 2.75rem;
  padding: 0.5rem 0; font-weight: 400; overflow-wrap: anywhere; }
.notice .option input { width: auto; margin: 0; flex: none; }
.notice .choices { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.notice button { min-height: 2.75rem; flex: 1 1 9rem; }
.notice button.second { color: var(--ink); background: var(--sheet); border: 1px solid var(--edge); }
.notice :focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
`;

/** An open question with its execution. */
export interface ExecutionQuestion {
  request: PendingRequest;
  execution: { id: number; displayName: string };
}

/** Returns the page of a question with its answer form. `fault` is the problem with a rejected answer. */
export async function questionPage(
  { request, execution }: ExecutionQuestion,
  fault?: { status: number; text: string },
): Promise<Response> {
  const { expiresAt, createdAt, rule } = request;
  const expiry = expiresAt === null ? "" : `, expires ${formatTime(expiresAt)}`;
  return await noticePage({
    heading: `${toVisibleHtml(execution.displayName)} asks`,
    status: fault?.status ?? 200,
    headers: HEADERS,
    style: STYLE,
    body: [
      `<p class="said">${toVisibleHtml(request.message)}</p>`,
      argumentTable(request),
      fileChange(request.preview),
      fault === undefined ? "" : `<p class="fault" role="alert">${toVisibleHtml(fault.text)}</p>`,
      rule === undefined
        ? `<form method="post">\n${formFields(request)}\n</form>`
        : signInText(rule),
      `<p class="muted">Execution ${execution.id}, asked ${formatTime(createdAt)}${expiry}. ` +
      (rule === undefined ? "You can answer once." : "A link has no name.") + "</p>",
    ].filter((part) => part !== "").join("\n"),
  });
}

function signInText(rule: ApprovalRule): string {
  const people = toVisibleHtml(describeApprovers(rule));
  return `<p>This question is for ${people}. To answer it, sign in to the page with your own key.</p>`;
}

/** Returns the confirmation page after an accepted answer. */
export async function answeredPage(answer: HumanAnswer): Promise<Response> {
  const verdict = "approved" in answer ? (answer.approved ? "Approved" : "Denied") : "Answered";
  return await noticePage({
    heading: verdict,
    status: 200,
    headers: HEADERS,
    body: "<p>Your answer was accepted, and the execution continues. You can close this page.</p>",
  });
}

/** Returns the page of a test message. A button confirms its arrival, because chat programs fetch links, too. */
export async function testPage(state: "open" | "confirmed"): Promise<Response> {
  const isOpen = state === "open";
  return await noticePage({
    heading: isOpen ? "A test message" : "The message has arrived",
    status: 200,
    headers: HEADERS,
    body: isOpen
      ? '<p>Messages of Inkling arrive here, and their links work.</p>\n<form method="post">' +
        '<div class="choices"><button>It arrived</button></div></form>'
      : "<p>Inkling knows now that its messages reach you. You can close this page.</p>",
  });
}

const CLOSED: Readonly<
  Record<LinkedQuestion["state"] | "unknown", { heading: string; text: string }>
> = {
  // The question was open when its link was read, but was closed before the answer was accepted.
  open: { heading: "The question has changed", text: "This question is no longer open." },
  answered: {
    heading: "Already answered",
    text: "This question was already answered, with this link or elsewhere.",
  },
  ended: {
    heading: "The execution has ended",
    text: "The execution that asked this question has ended.",
  },
  expired: {
    heading: "This link has expired",
    text: "A link is valid for 24 hours at most, and only while its question is open.",
  },
  unknown: {
    heading: "Unknown link",
    text: "This link does not exist. Check that you copied the whole address.",
  },
};

/** Returns the page for a question that is not open. */
export async function closedPage(
  state: LinkedQuestion["state"] | "unknown",
): Promise<Response> {
  const { heading, text } = CLOSED[state];
  return await noticePage({
    heading,
    status: state === "unknown" ? 404 : 410,
    headers: HEADERS,
    body: `<p>${text} Nothing was changed.</p>
<p>To see the open questions, run <code>inkling pending</code> or open the page with <code>inkling ui</code>.</p>`,
  });
}

/**
 * Returns the page for an unknown link while many requests with unknown links wait: somebody is probably guessing tokens.
 */
export async function tooManyPage(): Promise<Response> {
  return await noticePage({
    heading: "Too many unknown links",
    status: 429,
    headers: { ...HEADERS, "retry-after": "1" },
    body: "<p>Too many requests for unknown links. Try again in a moment.</p>",
  });
}

function argumentTable({ toolName, toolArgs }: HumanRequest): string {
  // The arguments of ask_user are the question itself.
  if (toolName === "ask_user") return "";
  const rows = Object.entries(toolArgs).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return `<tr><th scope="row">${toVisibleHtml(name)}</th><td>${toVisibleHtml(text)}</td></tr>`;
  });
  if (rows.length === 0) return "";
  return `<table>\n<caption>${toVisibleHtml(toolName)}</caption>\n${rows.join("\n")}\n</table>`;
}

/** Returns the HTML of the file change that the call would make; empty if the call changes no file. */
function fileChange(preview: CallPreview | null): string {
  if (preview === null) return "";
  const { path, diff, added, removed, isNewFile, problem } = preview;
  const title = `${isNewFile ? "New file" : "Changes"} · ${path} · +${added} −${removed}`;
  return [
    ...(diff === "" ? [] : [
      `<h2>${toVisibleHtml(title)}</h2>`,
      `<pre tabindex="0">${cut(diff).split("\n").map(diffLine).join("\n")}</pre>`,
    ]),
    ...(problem === null ? [] : [`<p class="fault">${toVisibleHtml(problem)}</p>`]),
  ].join("\n");
}

function diffLine(line: string): string {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : undefined;
  const html = toVisibleHtml(line);
  return kind === undefined ? html : `<span class="${kind}">${html}</span>`;
}

function formFields({ kind, options, multi, toolName }: HumanRequest): string {
  switch (kind) {
    case "confirm":
      // Only a sign-in continues the runs that wait for it.
      if (toolName === SIGN_IN) {
        return `<div class="choices">
<button class="second" name="decision" value="deny">Give up</button>
</div>`;
      }
      return `<label for="reason">Remark for the agent (optional)</label>
<textarea id="reason" name="reason" rows="2"></textarea>
<div class="choices">
<button name="decision" value="approve">Approve</button>
<button class="second" name="decision" value="deny">Deny</button>
</div>`;
    case "input":
      return `<label for="text">Your answer</label>
<textarea id="text" name="text" rows="5" required></textarea>
<div class="choices"><button>Send</button></div>`;
    case "choice": {
      const type = multi ? "checkbox" : "radio";
      const list = (options ?? []).map((option, place) =>
        `<label class="option"><input type="${type}" name="choice" value="${place}"${
          multi ? "" : " required"
        }> <span>${toVisibleHtml(option)}</span></label>`
      );
      return `<fieldset>
<legend>${multi ? "Choose one or more" : "Choose one"}</legend>
${list.join("\n")}
</fieldset>
<div class="choices"><button>Send</button></div>`;
    }
  }
  return kind satisfies never;
}

/** Escapes foreign text as HTML and makes its invisible characters visible. */
function toVisibleHtml(text: string): string {
  return escapeHtml(escapeUnseen(cut(text), { keep: "\n\t" }));
}

function cut(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  const rest = text.length - MAX_SHOWN;
  return `${text.slice(0, MAX_SHOWN)}\n[… ${rest} more characters: inkling pending shows them]`;
}

/** Returns a time in UTC as text, because the reader's time zone is unknown. */
function formatTime(ms: number): string {
  return `${toTimestamp(ms).slice(0, 16).replace("T", " ")} UTC`;
}
