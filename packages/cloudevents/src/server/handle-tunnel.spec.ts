import { PassThrough } from 'node:stream';
import { FakeClock } from '@flotilla/kube/testing';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { tunnelHead, tunnelMethod } from '../hub-proxy/tunnel-frames.ts';
import { serveBroker } from './fixtures/served-broker.ts';
import type { TunnelHandler } from './handle-tunnel.ts';

/** Calls as anyone on the network can: whoever it is, is asked after the first frame. */
async function openCall(tunnel: TunnelHandler, clock = new FakeClock()) {
  const served = await serveBroker({ server: { tunnel, clock } });
  const client = new Client(
    `127.0.0.1:${served.server.port}`,
    credentials.createSsl(Buffer.from(served.authority.certificate)),
  );
  const { path, requestSerialize, responseDeserialize } = tunnelMethod;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  let code: number | undefined;
  call.on('error', (error: ServiceError) => {
    code = error.code;
  });
  call.on('data', () => {});
  return {
    call,
    clock,
    /** Undefined while it is open. */
    code: () => code,
    async [Symbol.asyncDispose]() {
      client.close();
      await served[Symbol.asyncDispose]();
    },
  };
}

describe('a tunnel over gRPC', () => {
  it('whose caller sends nothing is ended after a while', async () => {
    let asked = 0;
    const handler: TunnelHandler = async () => {
      asked += 1;
      return new PassThrough();
    };
    await using opened = await openCall(handler);
    const later = async () => {
      await opened.clock.advance(1000);
      return opened.code();
    };
    await expect.poll(later, { timeout: 5000 }).toBe(status.DEADLINE_EXCEEDED);
    expect(asked).toBe(0);
  });

  it('whose caller leaves while it is being opened closes what it led to', async () => {
    const target = new PassThrough();
    const { promise: leaving, resolve: leave } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    await using opened = await openCall(async ({ signal }) => {
      begin();
      await leaving;
      await expect.poll(() => signal.aborted).toBe(true);
      return target;
    });
    opened.call.write(tunnelHead('cluster1'));
    await begun;
    opened.call.cancel();
    leave();
    await expect.poll(() => target.destroyed).toBe(true);
  });
});
