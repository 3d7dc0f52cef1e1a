// The text of a new agent file from its fields, so that the parser gives back what was put in.
import { Document, Scalar, visit } from "yaml";
import type { AgentPolicy } from "../config/agent_settings.ts";
import type { TriggerType, WebhookScheme } from "../trigger_kinds.ts";

/** What somebody says of a new agent. What is left out stands nowhere in the file, and has its default. */
export interface NewAgentFields {
  description?: string;
  model?: { provider: string; name: string; base_url?: string };
  trigger?: {
    type: TriggerType;
    every?: string;
    cron?: string;
    paths?: readonly string[];
    scheme?: WebhookScheme;
    /** The variable with the secret of a webhook. */
    secret?: string;
    /** The user turn. */
    input?: string;
  };
  /** The agents whose ends start it. */
  after?: readonly string[];
  paths?: readonly (string | { path: string; description: string })[];
  /** Tools that need no consent. */
  auto_approve?: readonly string[];
  /** Tools that wait for consent. */
  confirm?: readonly string[];
  on_pending?: AgentPolicy["onPending"];
  /** The task: the file's text below its front matter. */
  prompt: string;
}

/**
 * What only double quotes keep for certain: characters that YAML takes for line breaks or that nobody sees, and, in a
 * text of several lines, blanks at the beginning or the end of a line.
 */
const DELICATE = /[^\P{Cc}\n]|[\u2028\u2029\ufeff]|\n[ \t]|[ \t]\n|^[ \t\n]/u;

/** Nothing is folded. */
const ON_ONE_LINE = { lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity };

/** An agent file: front matter in the order of the fields, then the prompt without blank lines around it. */
export function formatAgentFile(fields: NewAgentFields): string {
  const { prompt, ...head } = fields;
  const document = new Document(head);
  visit(document, {
    Scalar(_key, node) {
      const { value } = node;
      if (typeof value === "string" && DELICATE.test(value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const yaml = Object.keys(head).length === 0 ? "" : document.toString(ON_ONE_LINE);
  return `---\n${yaml}---\n\n${prompt.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd()}\n`;
}
