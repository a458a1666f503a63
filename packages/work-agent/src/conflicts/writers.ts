/** Which work last wrote an object: distinguishes two works with different manifests of one object from other writers. */
export class Writers {
  readonly #holders = new Map<string, string>();

  get(identity: string): string | undefined {
    return this.#holders.get(identity);
  }

  set(identity: string, holder: string): void {
    this.#holders.set(identity, holder);
  }

  /** `holder` no longer manages these objects; what another work wrote since then stays known. */
  release(holder: string, identities: Iterable<string>): void {
    for (const identity of identities) if (this.#holders.get(identity) === holder) this.#holders.delete(identity);
  }

  /** How many objects are remembered. */
  get size(): number {
    return this.#holders.size;
  }
}
