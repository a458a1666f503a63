/** Fields of a message as bytes. A value that is absent, or protobuf's zero, writes nothing. */
export const textField = (field: number, value: string | undefined): Buffer =>
  value ? bytesField(field, Buffer.from(value)) : empty;

export const boolField = (field: number, value: boolean | undefined): Buffer =>
  value ? Buffer.concat([tag(field, 0), varint(1)]) : empty;

/** A whole number of at most 53 bits, not negative. */
export const countField = (field: number, value: number | undefined): Buffer =>
  value ? Buffer.concat([tag(field, 0), varint(value)]) : empty;

export function doubleField(field: number, value: number | undefined): Buffer {
  if (!value) return empty;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([tag(field, 1), bytes]);
}

/** A message within a message, which is written even if it is empty. */
export const messageField = (field: number, message: Buffer | undefined): Buffer =>
  message ? bytesField(field, message) : empty;

export const messageOf = (...fields: readonly (Buffer | readonly Buffer[])[]): Buffer => Buffer.concat(fields.flat());

const empty = Buffer.alloc(0);

const bytesField = (field: number, bytes: Buffer): Buffer =>
  Buffer.concat([tag(field, 2), varint(bytes.length), bytes]);

const tag = (field: number, wireType: number): Buffer => varint(field * 8 + wireType);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}
