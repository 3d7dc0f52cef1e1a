// The session of a person who signed in with OpenID Connect. It ends when the provider no longer confirms the person.
import { HOUR_MS, MINUTE_MS } from "../../base/time_units.ts";
import type { Caller } from "../../runtime/vocabulary/callers.ts";
import {
  classifyFailure,
  type Grant,
  type Identity,
  type OpenIdProvider,
} from "./openid_provider.ts";

/** The milliseconds after which the next use of a session checks the person's groups. */
const CHECK_MS = 5 * MINUTE_MS;
/** The milliseconds without an answer of the provider after which a session ends. */
const UNCHECKED_MS = HOUR_MS;

interface SessionPorts {
  provider: OpenIdProvider;
  now: () => number;
  toCaller: (identity: Identity) => Caller | undefined;
}

/** The session of a signed-in person. */
export class OpenIdSession {
  readonly #ports: SessionPorts;
  #grant: Grant | undefined;
  /** The time of the last answer of the provider, and that of the last request. */
  #confirmedAt: number;
  #checkedAt: number;
  #checking: Promise<void> | undefined;

  constructor(grant: Grant, ports: SessionPorts) {
    this.#ports = ports;
    this.#grant = grant;
    this.#confirmedAt = this.#checkedAt = ports.now();
  }

  /** Returns the person with the role of now, or undefined after the access has ended. */
  async findOwner(): Promise<Caller | undefined> {
    const now = this.#ports.now();
    if (this.#grant !== undefined && now - this.#checkedAt >= CHECK_MS) {
      this.#checking ??= this.#renew(this.#grant, now).finally(() => this.#checking = undefined);
      await this.#checking;
    }
    return this.#grant && this.#ports.toCaller(this.#grant.identity);
  }

  async #renew(grant: Grant, now: number): Promise<void> {
    try {
      this.#grant = await this.#ports.provider.renew(grant);
      this.#confirmedAt = now;
    } catch (error) {
      const isRefused = classifyFailure(error) !== "unreachable";
      if (isRefused || now - this.#confirmedAt >= UNCHECKED_MS) this.#grant = undefined;
    }
    this.#checkedAt = now;
  }
}
