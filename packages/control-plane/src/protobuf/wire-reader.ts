/** Refuses a body; the sentence is the one a Go server gives. */
export type Fail = (message: string) => never;

/** How a value is written: 0 varint, 1 eight bytes, 2 length and bytes, 3 and 4 around a group, 5 four bytes. */
type WireType = number;

export interface Tag {
  readonly field: number;
  readonly wireType: WireType;
}

/** Reads the fields of one message from its bytes, and never beyond them. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #fail: Fail;
  #at = 0;

  constructor(bytes: Buffer, fail: Fail) {
    this.#bytes = bytes;
    this.#fail = fail;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next field; `message` is for the refusal. */
  tag(message: string): Tag {
    const wire = this.#short();
    const wireType = Number(wire & 7n);
    const field = Number(BigInt.asIntN(32, wire >> 3n));
    if (wireType === 4) return this.#fail(`proto: ${message}: wiretype end group for non-group`);
    if (field <= 0) return this.#fail(`proto: ${message}: illegal tag ${field} (wire type ${wire})`);
    return { field, wireType };
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    return this.#fail('proto: integer overflow');
  }

  double(): number {
    const at = this.#at;
    this.#advance(8);
    return this.#bytes.readDoubleLE(at);
  }

  /** A string, bytes, or another message: a view of the bytes, not a copy. */
  bytes(): Buffer {
    const length = Number(BigInt.asIntN(64, this.#short()));
    if (length < 0) return this.#fail('proto: negative length found during unmarshaling');
    const from = this.#at;
    this.#advance(length);
    return this.#bytes.subarray(from, this.#at);
  }

  /** Passes over a field that is not known. */
  skip(wireType: WireType): void {
    let groups = 0;
    for (let type = wireType; ; type = Number(this.#short() & 7n)) {
      if (type === 0) this.varint();
      else if (type === 1) this.#advance(8);
      else if (type === 2) this.bytes();
      else if (type === 3) groups++;
      else if (type === 4) groups--;
      else if (type === 5) this.#advance(4);
      else this.#fail(`proto: illegal wireType ${type}`);
      if (groups === 0) return;
    }
  }

  #advance(length: number): void {
    if (length > this.#bytes.length - this.#at) this.#fail('unexpected EOF');
    this.#at += length;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) return this.#fail('unexpected EOF');
    this.#at++;
    return byte;
  }

  /** Nearly all tags and lengths are one byte. */
  #short(): bigint {
    const first = this.#bytes[this.#at];
    if (first === undefined || first >= 0x80) return this.varint();
    this.#at++;
    return BigInt(first);
  }
}
