import { PassThrough, Readable } from 'node:stream';
import type { ForwardedResponse, Forwarder } from '@flotilla/kube/transport';
import { expect, it } from 'vitest';
import { forwardingMember } from './forwarding-member.ts';

const request = {
  user: { name: 'alice', groups: [], extra: {} },
  method: 'POST',
  path: '/',
  headers: [],
  signal: AbortSignal.timeout(20_000),
} as const;
const mebibytes = (count: number) => Readable.from(Array.from({ length: count }, () => Buffer.alloc(1024 * 1024)));

it('holds no more of all requests to a cluster than it can, and goes on when they are done', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: allRead, resolve: onAllRead } = Promise.withResolvers<void>();
  let read = 0;
  const forward = async () => {
    read += 1;
    if (read === 8) onAllRead();
    await answered;
    return { status: 200, headers: [], body: new PassThrough() } as unknown as ForwardedResponse;
  };
  const member = forwardingMember({ forward } as unknown as Forwarder);
  const under = Array.from({ length: 8 }, () => member.request({ ...request, body: mebibytes(16) }));
  await allRead;
  const refused = member.request({ ...request, body: mebibytes(16) });
  await expect(refused).rejects.toMatchObject({ status: 429 });
  answer();
  for (const { status } of await Promise.all(under)) expect(status).toBe(200);
  await expect(member.request({ ...request, body: mebibytes(16) })).resolves.toMatchObject({ status: 200 });
  await expect(member.request({ ...request, body: mebibytes(17) })).rejects.toMatchObject({ status: 413 });
});
