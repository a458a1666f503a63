import { randomInt, randomUUID } from 'node:crypto';

/** One call: the method and the bytes that are sent as its body. */
export interface MalformedCall {
  readonly method: 'Publish' | 'Subscribe';
  readonly body: Buffer;
}

const dataType = 'cluster.open-cluster-management.io.v1.managedclusters';
const field = (number: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2]), length(value.length), value]);
const text = (number: number, value: string): Buffer => field(number, Buffer.from(value));

function length(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

const attribute = (key: string, value: string): Buffer =>
  field(5, Buffer.concat([text(1, key), field(2, text(3, value))]));

/** An event that would be valid, so that what differs from it in one place gets far. */
function event(contentType: string, cluster: string, data: string): Buffer {
  return Buffer.concat([
    // Another one each time: what has been published already is not handled again.
    text(1, randomUUID()),
    text(2, cluster),
    text(3, '1.0'),
    text(4, `${dataType}.spec.create_request`),
    attribute('ce-clustername', cluster),
    attribute('ce-originalsource', ''),
    attribute('contenttype', contentType),
    field(6, Buffer.from(data)),
  ]);
}

const cluster = '{"metadata":{"name":"fuzzed"},"spec":{"hubAcceptsClient":true}}';
const publish = () => field(1, event('application/json', 'fuzzed', cluster));
const subscribe = Buffer.concat([text(2, 'fuzzed'), text(3, dataType)]);
const structured = field(1, event('application/cloudevents+json', 'fuzzed', cluster));
const forged = field(1, event('application/json', 'fuzzed', cluster.replace('fuzzed', 'another')));
const deep = field(1, event('application/json', 'fuzzed', `${'['.repeat(50_000)}`));

const framed = (message: Buffer): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
};

const randomBytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => randomInt(256)));

/** The message with some bytes changed, left out or added. */
function mutated(message: Buffer): Buffer {
  const at = randomInt(message.length);
  switch (randomInt(3)) {
    case 0:
      return Buffer.concat([message.subarray(0, at), randomBytes(1 + randomInt(4)), message.subarray(at + 1)]);
    case 1:
      return message.subarray(0, at);
    default:
      return Buffer.concat([message.subarray(0, at), randomBytes(1 + randomInt(20)), message.subarray(at)]);
  }
}

const kinds: readonly (() => MalformedCall)[] = [
  () => ({ method: 'Publish', body: framed(mutated(publish())) }),
  () => ({ method: 'Publish', body: framed(mutated(publish())) }),
  () => ({ method: 'Subscribe', body: framed(mutated(subscribe)) }),
  () => ({ method: 'Publish', body: framed(randomBytes(randomInt(400))) }),
  // No event at all.
  () => ({ method: 'Publish', body: framed(Buffer.alloc(0)) }),
  () => ({ method: 'Publish', body: framed(structured) }),
  () => ({ method: 'Publish', body: framed(forged) }),
  () => ({ method: 'Publish', body: framed(deep) }),
  // A frame that is longer or shorter than it says, or compressed by nothing.
  () => ({ method: 'Publish', body: mutated(framed(publish())) }),
  () => ({ method: 'Publish', body: Buffer.concat([Buffer.from([1]), framed(publish()).subarray(1)]) }),
];

/** The call of a number: all kinds in turn. */
export function malformedCall(index: number): MalformedCall {
  const kind = kinds[index % kinds.length];
  if (!kind) throw new Error('no kinds');
  return kind();
}

/** A message that is larger than any that is accepted. */
export const hugeCall = (): MalformedCall => ({ method: 'Publish', body: framed(Buffer.alloc(5 * 1024 * 1024, 1)) });

/** What is no HTTP/2, or HTTP/2 that nobody may send. */
export function brokenFrames(): Buffer {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  return randomInt(2) === 0 ? randomBytes(200) : Buffer.concat([preface, randomBytes(300)]);
}
