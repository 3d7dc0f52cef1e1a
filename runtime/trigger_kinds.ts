// What can begin an execution, and all that differs by it: the one table that agents' files, SQL, the service's life and the
// wire read.
//
// Sources of the forms of webhooks: docs.github.com "Validating webhook deliveries";
// docs.stripe.com/webhooks#verify-manually; docs.slack.dev "Verifying requests from Slack"; standardwebhooks.com, the specification; learn.microsoft.com "Receive change notifications
// through webhooks"; developers.facebook.com "Webhooks: getting started"; dropbox.com/developers/reference/webhooks;
// developer.nylas.com "Using webhooks"; developer.monday.com "Webhooks" and "Authorization header"; developers.zoom.us "Using
// webhooks"; developer.atlassian.com "Trello webhooks"; shopify.dev "Verify webhook deliveries"; linear.app/developers/webhooks.

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

/** The file, below the agents folder, of the service that runs the triggers of a workspace. */
export const TRIGGER_LEASE = "_config/triggers.lease";

/**
 * Why a trigger does not fire on the host of these names; undefined where it does. Letter case does not matter, nor what
 * comes after the first dot of a host's name.
 */
export function whyElsewhere(
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

/** The recorded reasons why a slot had no run. Details may follow. */
export const SLOT_REASONS = {
  stopped: "its trigger is stopped",
  waiting: "waiting for an answer",
  running: "still running",
  paused: "paused",
  down: "the service was not running",
  budget: "budget ",
} as const;

/** Returns the code of a slot's recorded reason; undefined for any other reason. */
export function slotReasonOf(reason: string | null): keyof typeof SLOT_REASONS | undefined {
  const codes = Object.keys(SLOT_REASONS) as (keyof typeof SLOT_REASONS)[];
  return codes.find((code) => reason?.includes(SLOT_REASONS[code]));
}

/** How a signature of the scheme `hmac` is written. */
export const SIGNATURE_ENCODINGS = ["hex", "base64"] as const;
export type SignatureEncoding = (typeof SIGNATURE_ENCODINGS)[number];

/** Which ends of another agent's executions start one that follows it. */
export const FOLLOWED_ENDS = ["success", "failure", "any"] as const;
export type FollowedEnd = (typeof FOLLOWED_ENDS)[number];

/** The form of one scheme. A place is the name of a header, or a JSON pointer into the body. */
export interface SchemeForm {
  /** The header with the HMAC of the body, behind `sha256=` or `v0=` or alone; absent: signature.ts knows the proof. */
  header?: string;
  /** Absent: hex. */
  encoding?: "base64";
  /** Absent: SHA-256. With SHA-1 the address that the sender was given follows the body. */
  hash?: "SHA-1";
  /** The header with the time, which is signed as `v0:TIME:BODY`. */
  timeHeader?: string;
  /** The place of the time in the body, in milliseconds. */
  bodyTime?: string;
  /** Places of the event's name: the first one that holds a name. */
  event: readonly string[];
  /** The place of the delivery's id. One in the body is covered by the proof: nobody else can give the delivery another one. */
  id?: string;
  /** The proof covers an id in a header, too. */
  isIdSigned?: true;
  /** Equal bodies without an id are one delivery for `trigger.dedupe` only: the sender may mean both. */
  repeats?: true;
  /** Bodies besides JSON. */
  takes?: "form" | "text";
  /** The sender takes no other status than 200 for success, as those with a handshake. */
  wantsOk?: true;
}

const SHA256 = { header: "x-hub-signature-256" };

const TEXT = { event: ["/type"], repeats: true, takes: "text" } as const;

const FORMS = {
  "github": { ...SHA256, event: ["x-github-event"], id: "x-github-delivery", takes: "form" },
  "stripe": { event: ["/type"], id: "/id" },
  "slack": {
    header: "x-slack-signature",
    timeHeader: "x-slack-request-timestamp",
    event: ["/event/type", "/type", "/command"],
    id: "/event_id",
    takes: "form",
  },
  "standard-webhooks": { event: ["/type"], id: "webhook-id", isIdSigned: true },
  "hmac": TEXT,
  // Nothing is signed: who has the token may send anything, and so may say what is one delivery.
  "token": { ...TEXT, id: "idempotency-key", isIdSigned: true },
  "microsoft-graph": { event: ["/value/0/lifecycleEvent", "/value/0/changeType"], repeats: true },
  "meta": { ...SHA256, event: ["/entry/0/changes/0/field", "/object"] },
  "dropbox": { header: "x-dropbox-signature", event: [], repeats: true },
  "nylas": { header: "x-nylas-signature", event: ["/type"], id: "/id" },
  "monday": { event: ["/event/type"], id: "/event/triggerUuid", repeats: true },
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
    wantsOk: true,
  },
} as const satisfies Record<string, SchemeForm>;

/** The scheme by which a webhook's sender proves its identity. */
export type WebhookScheme = keyof typeof FORMS;
export const SCHEME_FORMS: Readonly<Record<WebhookScheme, SchemeForm>> = FORMS;
export const WEBHOOK_SCHEMES = Object.keys(FORMS) as WebhookScheme[];

/** The trials of addresses that are answered, by the sender; as a person reads them. */
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

/** The part of the request that has the token of the scheme `token`. */
export const TOKEN_PLACES = ["header", "basic", "query"] as const;
export type TokenPlace = (typeof TOKEN_PLACES)[number];
