// Links with which a question is answered from a message: made here; only what they hash to is stored.
import { sha256Of } from "../../base/sha256.ts";
import { DAY_MS } from "../../base/time_units.ts";

/** How long a link opens, unless its question expires before. */
export const LINK_MS = DAY_MS;
const TOKEN_BYTES = 32;

/** What a link leads to. */
export interface LinkedQuestion {
  requestId: string;
  executionId: number;
  /** `open`: it may be answered; `answered`: it was, by this link or otherwise; `ended`: its execution has; `expired`: the link has. */
  state: "open" | "answered" | "ended" | "expired";
}

/** Links by what their tokens hash to. Each method is one transaction. */
export interface AnswerLinkStore {
  /** Lets a token open the question until `expiresAt`, or until the question expires. */
  addLink(link: { hash: string; requestId: string; expiresAt: number }): Promise<void>;
  findLink(hash: string, now: number): Promise<LinkedQuestion | undefined>;
}

/** Makes and finds links. */
export class AnswerLinks {
  readonly #store: AnswerLinkStore;
  readonly #clock: { now(): number };

  constructor({ store, clock }: { store: AnswerLinkStore; clock: { now(): number } }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The path of a new link to a question. Each attempt to send a message gets its own: none is stored in clear. */
  async create(requestId: string): Promise<string> {
    const token = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))
      .toBase64({ alphabet: "base64url", omitPadding: true });
    const hash = await sha256Of(token);
    await this.#store.addLink({ hash, requestId, expiresAt: this.#clock.now() + LINK_MS });
    return `/answer/${token}`;
  }

  /** The question of a token; undefined for one that never was. The same is done for each. */
  async find(token: string): Promise<LinkedQuestion | undefined> {
    return await this.#store.findLink(await sha256Of(token), this.#clock.now());
  }
}
