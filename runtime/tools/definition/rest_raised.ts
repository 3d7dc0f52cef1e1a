// The error by which a running tool lets its execution rest. After the rest, the tool is called again.

/** A rest that a call requests. Times are in milliseconds since the epoch. */
export interface RequestedRest {
  until: number;
  since: number;
  reason: string;
}

/** Error: the execution rests until a time, then repeats the call. No process holds it meanwhile. */
export class RestRaised extends Error {
  override readonly name = "RestRaised";
  readonly rest: RequestedRest;

  constructor(rest: RequestedRest) {
    super(rest.reason);
    this.rest = rest;
  }
}
