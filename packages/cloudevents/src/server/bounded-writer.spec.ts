import { create } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { type CloudEvent, CloudEventSchema } from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';
import { BoundedWriter } from './bounded-writer.ts';

const eventOf = (bytes: number): CloudEvent =>
  create(CloudEventSchema, { data: { case: 'binaryData', value: new Uint8Array(bytes) } });

/** A writer whose reader takes one event at each call of `read`. */
function play() {
  const unread: (() => void)[] = [];
  const write = (_message: CloudEvent, sent: () => void) => unread.push(sent) < 0;
  const writer = new BoundedWriter({ write } as unknown as ConstructorParameters<typeof BoundedWriter>[0]);
  let drained = 0;
  writer.onDrain(() => (drained += 1));
  return { writer, read: () => unread.shift()?.(), drained: () => drained };
}

it.each([
  ['one large event', [300_000], 1],
  ['some of a hundred kilobytes', [100_000, 100_000, 100_000], 1],
  ['many small ones', Array<number>(16).fill(10), 1],
])('lets a reader have %s ahead of it, and no more until it reads', (_, sizes, reads) => {
  const { writer, read, drained } = play();
  const accepted = sizes.map((bytes) => writer.write(eventOf(bytes)));
  expect(accepted).toEqual([...sizes.slice(1).map(() => true), false]);
  for (let index = 0; index < reads; index += 1) read();
  expect(drained()).toBe(1);
  expect(writer.write(eventOf(10))).toBe(sizes.length !== 16);
});
