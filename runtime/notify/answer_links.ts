// Links in messages with which a person answers a question. Only the hashes of their tokens are stored.
import { sha256Of } from "../../base/sha256.ts";
import { DAY_MS } from "../../base/time_units.ts";

/** The lifetime of a link, unless its question expires before. */
export const LINK_MS = DAY_MS;
const TOKEN_BYTES = 32;

/** The question that a link opens. */
export interface LinkedQuestion {
  requestId: string;
  executionId: number;
  /**
   * `open`: it can be answered; `answered`: somebody answered it; `ended`: its execution has ended; `expired`: the link
   * has expired.
   */
  state: "open" | "answered" | "ended" | "expired";
}

/** Stores links by the hashes of their tokens. Each method is one transaction. */
export interface AnswerLinkStore {
  /** Stores a link that opens the question until `expiresAt`, or until the question expires. */
  addLink(link: { hash: string; requestId: string; expiresAt: number }): Promise<void>;
  findLink(hash: string, now: number): Promise<LinkedQuestion | undefined>;
}

/** Creates and resolves links. */
export class AnswerLinks {
  readonly #store: AnswerLinkStore;
  readonly #clock: { now(): number };

  constructor({ store, clock }: { store: AnswerLinkStore; clock: { now(): number } }) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Creates a link to a question and returns its path. Each delivery attempt gets its own link, because no token is
   * stored in clear.
   */
  async create(requestId: string): Promise<string> {
    const token = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))
      .toBase64({ alphabet: "base64url", omitPadding: true });
    const hash = await sha256Of(token);
    await this.#store.addLink({ hash, requestId, expiresAt: this.#clock.now() + LINK_MS });
    return `/answer/${token}`;
  }

  /** Returns the question of a token, or undefined for an unknown token. Does the same work for both. */
  async find(token: string): Promise<LinkedQuestion | undefined> {
    return await this.#store.findLink(await sha256Of(token), this.#clock.now());
  }
}
