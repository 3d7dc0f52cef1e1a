// The kinds of triggers of an execution, and the properties of each. Agent files, SQL, the service's lifetime and the API
// read this table.
//
// Sources of the webhook schemes: docs.github.com "Validating webhook deliveries";
// docs.stripe.com/webhooks#verify-manually; docs.slack.dev "Verifying requests from Slack"; standardwebhooks.com, the
// specification; learn.microsoft.com "Receive change notifications through webhooks"; developers.facebook.com "Webhooks:
// getting started"; dropbox.com/developers/reference/webhooks; developer.nylas.com "Using webhooks"; developer.monday.com
// "Webhooks" and "Authorization header"; developers.zoom.us "Using webhooks"; developer.atlassian.com "Trello webhooks";
// shopify.dev "Verify webhook deliveries"; linear.app/developers/webhooks.

interface TriggerKind {
  /** True if an agent's file can contain the trigger. */
  isConfigurable: boolean;
  /**
   * The group of executions that share a history and wait for each other. `session`: those of one chat session.
   * `delegated`: the agent's delegated executions, which share a history but do not wait for each other. `own`: the agent's
   * other executions.
   */
  bucket: "session" | "own" | "delegated";
  /** True if the trigger starts an agent without a request. */
  isAutomatic: boolean;
  /**
   * True if the service keeps running for an agent with this trigger although no next run is scheduled. `on_port` if it
   * does so while it listens on a port.
   */
  keepsServiceBusy: boolean | "on_port";
  /** The event that starts the next run, for a trigger without due times. */
  awaits?: string;
  /** The form of its runs' causes, if it has none of its own: `event` is EventCause. */
  cause?: "event";
}

/** The properties of each kind of trigger, in the order of the documentation. */
export const TRIGGER_KINDS = {
  manual: { isConfigurable: true, bucket: "own", isAutomatic: false, keepsServiceBusy: false },
  chat: { isConfigurable: false, bucket: "session", isAutomatic: false, keepsServiceBusy: false },
  schedule: { isConfigurable: true, bucket: "own", isAutomatic: true, keepsServiceBusy: false },
  watch: {
    isConfigurable: true,
    bucket: "own",
    isAutomatic: true,
    keepsServiceBusy: true,
    awaits: "a change",
  },
  webhook: {
    isConfigurable: true,
    bucket: "own",
    isAutomatic: true,
    keepsServiceBusy: "on_port",
    awaits: "a delivery",
  },
  change: {
    isConfigurable: true,
    bucket: "own",
    isAutomatic: true,
    keepsServiceBusy: false,
    cause: "event",
  },
  mail: {
    isConfigurable: true,
    bucket: "session",
    isAutomatic: true,
    keepsServiceBusy: true,
    awaits: "a mail",
    cause: "event",
  },
  after: { isConfigurable: false, bucket: "own", isAutomatic: true, keepsServiceBusy: false },
  agent: {
    isConfigurable: false,
    bucket: "delegated",
    isAutomatic: false,
    keepsServiceBusy: false,
  },
} as const satisfies Record<string, TriggerKind>;

/** The kind of trigger that started an execution. */
export type ExecutionTrigger = keyof typeof TRIGGER_KINDS;

type KindsWith<Property> = {
  [K in ExecutionTrigger]: (typeof TRIGGER_KINDS)[K] extends Property ? K : never;
}[ExecutionTrigger];

/** The triggers that an agent's file can have. `manual` stands for none. */
export type TriggerType = KindsWith<{ isConfigurable: true }>;
/** The triggers that an agent's file can have and that start runs without a request. */
export type AutomaticTriggerType = KindsWith<{ isConfigurable: true; isAutomatic: true }>;
/** The triggers whose runs have an EventCause. */
export type EventTriggerType = KindsWith<{ cause: "event" }>;

export const EXECUTION_TRIGGERS = Object.keys(TRIGGER_KINDS) as ExecutionTrigger[];
export const TRIGGER_TYPES = EXECUTION_TRIGGERS.filter((kind): kind is TriggerType =>
  TRIGGER_KINDS[kind].isConfigurable
);
export const AUTOMATIC_TRIGGER_TYPES = TRIGGER_TYPES.filter((kind): kind is AutomaticTriggerType =>
  TRIGGER_KINDS[kind].isAutomatic
);

/** Returns the event that starts the next run of a trigger without due times, such as `a change`. */
export function awaitedBy(type: TriggerType): string | undefined {
  const kind: TriggerKind = TRIGGER_KINDS[type];
  return kind.awaits;
}

/** Returns the address or command that a trigger checks, or the mail account that it reads, or null. */
export function sourceOf(
  { url, command, account }: {
    type: TriggerType;
    url?: string;
    command?: string;
    account?: string;
  },
): string | null {
  return url ?? command ?? account ?? null;
}

/** The lease file of the service that runs a workspace's triggers, below the agents folder. */
export const TRIGGER_LEASE = "_config/triggers.lease";

/**
 * Returns the reason why a trigger does not fire on this host. Undefined if it fires. Ignores letter case and the part of a
 * host name after the first dot.
 */
export function describeHostMismatch(
  onlyOn: readonly string[] | undefined,
  hosts: () => readonly string[],
): string | undefined {
  if (onlyOn === undefined) return undefined;
  const names = hosts();
  const known = names.flatMap((name) => [name, name.split(".")[0] ?? ""])
    .map((name) => name.toLowerCase());
  if (onlyOn.some((name) => known.includes(name.toLowerCase()))) return undefined;
  return `only_on names ${onlyOn.join(", ")}, and this host is ${names.join(" or ")}`;
}

/** The fixed words in the stored reasons why a due time had no run. Details may precede or follow them. */
export const SLOT_REASONS = {
  // The first, because the error of a check may contain any word.
  check_failed: "the check failed",
  unchanged: "no change",
  baseline: "the first check",
  stopped: "its trigger is stopped",
  waiting: "waiting for an answer",
  running: "still running",
  paused: "paused",
  down: "the service was not running",
  budget: "used up",
} as const;

/** Returns the code of the stored reason of a due time without a run. Undefined for any other reason. */
export function slotReasonOf(reason: string | null): keyof typeof SLOT_REASONS | undefined {
  const codes = Object.keys(SLOT_REASONS) as (keyof typeof SLOT_REASONS)[];
  return codes.find((code) => reason?.includes(SLOT_REASONS[code]));
}

/** The encodings of a signature of the scheme `hmac`. */
export const SIGNATURE_ENCODINGS = ["hex", "base64"] as const;
type SignatureEncoding = (typeof SIGNATURE_ENCODINGS)[number];

/** The outcomes of another agent's executions that can start an agent with `after`. */
export const FOLLOWED_ENDS = ["success", "failure", "any"] as const;
export type FollowedEnd = (typeof FOLLOWED_ENDS)[number];

/**
 * The way in which one kind of sender (`trigger.scheme`) signs and describes its deliveries. A field that names a place
 * contains the name of a header, or a JSON pointer into the body.
 */
export interface SchemeForm {
  /**
   * The header with the HMAC of the body, alone or after `sha256=` or `v0=`. If absent, signature.ts checks the proof in
   * another way.
   */
  header?: string;
  /** The encoding of the HMAC. Hexadecimal if absent. */
  encoding?: "base64";
  /** The hash of the HMAC. SHA-256 if absent. With SHA-1, the signed text is the body and the webhook's address. */
  hash?: "SHA-1";
  /** The header with the time. The signed text is `v0:TIME:BODY`. */
  timeHeader?: string;
  /** The JSON pointer to the delivery's time in the body. The time is in milliseconds. */
  bodyTime?: string;
  /** The places of the event's name. The first place with a value is used. */
  event: readonly string[];
  /** The place of the delivery's id. The signature covers an id in the body, so nobody can change the id. */
  id?: string;
  /** Set if the signature also covers an id in a header. */
  isIdSigned?: true;
  /**
   * Set if the sender may repeat a body on purpose. Equal bodies without an id are then duplicates only with
   * `trigger.dedupe`.
   */
  mayRepeat?: true;
  /** The format of the body, if it may be another one than JSON. */
  bodyFormat?: "form" | "text";
  /** Set if the sender accepts only status 200 as success, like senders with a handshake. */
  requiresOk?: true;
}

const SHA256 = { header: "x-hub-signature-256" };

const TEXT = { event: ["/type"], mayRepeat: true, bodyFormat: "text" } as const;

const FORMS = {
  "github": { ...SHA256, event: ["x-github-event"], id: "x-github-delivery", bodyFormat: "form" },
  "stripe": { event: ["/type"], id: "/id" },
  "slack": {
    header: "x-slack-signature",
    timeHeader: "x-slack-request-timestamp",
    event: ["/event/type", "/type", "/command"],
    id: "/event_id",
    bodyFormat: "form",
  },
  "standard-webhooks": { event: ["/type"], id: "webhook-id", isIdSigned: true },
  "hmac": TEXT,
  // Nothing is signed, but the owner of the token may send anything, so the delivery's id is trusted, too.
  "token": { ...TEXT, id: "idempotency-key", isIdSigned: true },
  "microsoft-graph": { event: ["/value/0/lifecycleEvent", "/value/0/changeType"], mayRepeat: true },
  "meta": { ...SHA256, event: ["/entry/0/changes/0/field", "/object"] },
  "dropbox": { header: "x-dropbox-signature", event: [], mayRepeat: true },
  "nylas": { header: "x-nylas-signature", event: ["/type"], id: "/id" },
  "monday": { event: ["/event/type"], id: "/event/triggerUuid", mayRepeat: true },
  "zoom": { header: "x-zm-signature", timeHeader: "x-zm-request-timestamp", event: ["/event"] },
  "trello": {
    header: "x-trello-webhook",
    encoding: "base64",
    hash: "SHA-1",
    event: ["/action/type"],
    id: "/action/id",
  },
  "shopify": {
    header: "x-shopify-hmac-sha256",
    encoding: "base64",
    event: ["x-shopify-topic"],
    id: "x-shopify-webhook-id",
  },
  "linear": {
    header: "linear-signature",
    bodyTime: "/webhookTimestamp",
    event: ["linear-event", "/type"],
    id: "linear-delivery",
    requiresOk: true,
  },
} as const satisfies Record<string, SchemeForm>;

/** The name of a scheme by which a webhook's sender proves its identity. */
export type WebhookScheme = keyof typeof FORMS;
export const SCHEME_FORMS: Readonly<Record<WebhookScheme, SchemeForm>> = FORMS;
export const WEBHOOK_SCHEMES = Object.keys(FORMS) as WebhookScheme[];

/** The handshakes that are answered, by scheme, with the names that people read. */
export const HANDSHAKES = {
  "microsoft-graph": "POST ?validationToken=…",
  "meta": "GET ?hub.challenge=…",
  "dropbox": "GET ?challenge=…",
  "nylas": "GET ?challenge=…",
  "monday": 'POST {"challenge": …}',
  "zoom": "POST of endpoint.url_validation",
  "trello": "HEAD",
} as const satisfies Partial<Record<WebhookScheme, string>>;
export type WebhookHandshake = keyof typeof HANDSHAKES;
export const WEBHOOK_HANDSHAKES = Object.keys(HANDSHAKES) as WebhookHandshake[];

/** The part of the request that contains the token of the scheme `token`. */
export const TOKEN_PLACES = ["header", "basic", "query"] as const;
type TokenPlace = (typeof TOKEN_PLACES)[number];
