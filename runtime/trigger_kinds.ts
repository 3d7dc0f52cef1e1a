// What can begin an execution, and all that differs by it: the one table that agents' files, SQL, the service's life and the
// wire read.

interface TriggerKind {
  /** Whether an agent's file can name it. */
  ofAgent: boolean;
  /**
   * Which of an agent's executions make one conversation: those of a session, its own, or those that other agents started,
   * which seed one another and hold none.
   */
  bucket: "session" | "own" | "delegated";
  /** Whether it starts an agent without being asked. */
  isAutomatic: boolean;
  /** Whether the service stays for such an agent although nobody knows when it will run next; `on_port`: while it has a port. */
  keepsServiceBusy: boolean | "on_port";
}

/** In the order of their description. */
export const TRIGGER_KINDS = {
  manual: { ofAgent: true, bucket: "own", isAutomatic: false, keepsServiceBusy: false },
  chat: { ofAgent: false, bucket: "session", isAutomatic: false, keepsServiceBusy: false },
  schedule: { ofAgent: true, bucket: "own", isAutomatic: true, keepsServiceBusy: false },
  watch: { ofAgent: true, bucket: "own", isAutomatic: true, keepsServiceBusy: true },
  webhook: { ofAgent: true, bucket: "own", isAutomatic: true, keepsServiceBusy: "on_port" },
  after: { ofAgent: false, bucket: "own", isAutomatic: true, keepsServiceBusy: false },
  agent: { ofAgent: false, bucket: "delegated", isAutomatic: false, keepsServiceBusy: false },
} as const satisfies Record<string, TriggerKind>;

/** Who or what began an execution. */
export type ExecutionTrigger = keyof typeof TRIGGER_KINDS;

type KindsWith<Property> = {
  [K in ExecutionTrigger]: (typeof TRIGGER_KINDS)[K] extends Property ? K : never;
}[ExecutionTrigger];

/** What may start an agent beside people, programs and other agents; `manual`: nothing. */
export type TriggerType = KindsWith<{ ofAgent: true }>;
/** Those of them that start it by themselves. */
export type AutomaticTriggerType = KindsWith<{ ofAgent: true; isAutomatic: true }>;

export const EXECUTION_TRIGGERS = Object.keys(TRIGGER_KINDS) as ExecutionTrigger[];
export const TRIGGER_TYPES = EXECUTION_TRIGGERS.filter((kind): kind is TriggerType =>
  TRIGGER_KINDS[kind].ofAgent
);
export const AUTOMATIC_TRIGGER_TYPES = TRIGGER_TYPES.filter((kind): kind is AutomaticTriggerType =>
  TRIGGER_KINDS[kind].isAutomatic
);

/** How a webhook's sender shows who it is. */
export const WEBHOOK_SCHEMES = [
  "github",
  "stripe",
  "slack",
  "standard-webhooks",
  "hmac",
  "token",
] as const;
export type WebhookScheme = (typeof WEBHOOK_SCHEMES)[number];

/** How a signature of the scheme `hmac` is written. */
export const SIGNATURE_ENCODINGS = ["hex", "base64"] as const;
export type SignatureEncoding = (typeof SIGNATURE_ENCODINGS)[number];

/** Which ends of another agent's executions start one that follows it. */
export const FOLLOWED_ENDS = ["success", "failure", "any"] as const;
export type FollowedEnd = (typeof FOLLOWED_ENDS)[number];
