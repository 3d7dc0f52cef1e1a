// Requests leases for several kinds of work, by which only one node does the work.

/** The requested leases of a node. The leases of a group replace the group's earlier ones. */
export class LeaseGroups {
  readonly #request: (names: string[]) => Promise<void>;
  readonly #groups = new Map<string, readonly string[]>();

  constructor(request: (names: string[]) => Promise<void>) {
    this.#request = request;
  }

  async want(group: string, names: readonly string[]): Promise<void> {
    this.#groups.set(group, names);
    await this.#request([...this.#groups.values()].flat());
  }
}
