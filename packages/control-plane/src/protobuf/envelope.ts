import { type Fail, WireReader } from './wire-reader.ts';

/** What Kubernetes wraps a message in: its kind, and its bytes. Fields that say how the bytes are encoded are never used. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

const prefix = Buffer.from('k8s\0');

/** Opens a body that starts with `k8s\0`, and is a message `runtime.Unknown` after that. */
export function openEnvelope(body: Buffer, fail: Fail): Envelope {
  if (body.length === 0) return fail('empty data');
  if (!body.subarray(0, prefix.length).equals(prefix)) {
    return fail(
      `provided data does not appear to be a protobuf message, expected prefix [${[...prefix.values()].join(' ')}]`,
    );
  }
  if (body.length === prefix.length) return fail('empty body');
  const parts = byteFields(body.subarray(prefix.length), ['TypeMeta', 'Raw'], 'Unknown', fail);
  const [apiVersion, kind] = byteFields(parts[0] ?? Buffer.alloc(0), ['APIVersion', 'Kind'], 'TypeMeta', fail);
  return { apiVersion: textOf(apiVersion), kind: textOf(kind), raw: parts[1] ?? Buffer.alloc(0) };
}

const textOf = (bytes: Buffer | undefined): string => bytes?.toString('utf8') ?? '';

/** The first fields of a message, which are all bytes; `names` are those of fields 1, 2 and so on. */
function byteFields(bytes: Buffer, names: readonly string[], message: string, fail: Fail): (Buffer | undefined)[] {
  const reader = new WireReader(bytes, fail);
  const found: (Buffer | undefined)[] = [];
  while (!reader.done) {
    const { field, wireType } = reader.tag(message);
    const name = names[field - 1];
    if (name === undefined) reader.skip(wireType);
    else if (wireType !== 2) fail(`proto: wrong wireType = ${wireType} for field ${name}`);
    else found[field - 1] = reader.bytes();
  }
  return found;
}
