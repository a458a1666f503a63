import { readFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { managedClusters } from '@flotilla/api-types';
import { type CloudEventsClient, dataTypes } from '@flotilla/cloudevents';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Program } from '../registration/program.ts';
import { type Server, startServer } from '../registration/servers.ts';
import { brokenFrames, hugeCall, type MalformedCall, malformedCall } from './malformed-calls.ts';
import { type ServerFleet, startServerFleet } from './server-fleet.ts';

const calls = 10_000;
const service = '/io.cloudevents.v1.CloudEventService/';

/** Resident memory of a process, MiB. */
const rssMiB = async (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe('a gRPC server that is sent what is not an event', () => {
  let hub: Server;
  let fleet: ServerFleet;
  let program: Program;
  let port: number;
  let agent: CloudEventsClient;
  let session: ClientHttp2Session;
  const received: string[] = [];
  const losses: unknown[] = [];
  let headers: Record<string, string>;

  const openSession = () => {
    const opened = connectHttp2(`https://localhost:${port}`, { ca: fleet.authority.certificate });
    opened.on('error', () => {});
    return opened;
  };

  /** Sends a call; gives its gRPC status, or `closed` if the connection or stream was. */
  const send = ({ method, body }: MalformedCall): Promise<string> =>
    new Promise((resolve) => {
      if (session.closed || session.destroyed) session = openSession();
      const stream = session.request({
        ':method': 'POST',
        ':path': `${service}${method}`,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...headers,
      });
      const end = (status: unknown) => {
        stream.close(constants.NGHTTP2_CANCEL);
        resolve(typeof status === 'string' ? status : 'closed');
      };
      stream.on('response', (response) => {
        // A subscription that happens to be valid stays open.
        if (response['grpc-status'] !== undefined || response['subscription-id'] !== undefined) {
          end(response['grpc-status'] ?? '0');
        }
      });
      stream.on('trailers', (trailers) => end(trailers['grpc-status']));
      stream.on('error', () => end(undefined));
      stream.on('close', () => end(undefined));
      stream.resume();
      stream.end(body);
    });

  beforeAll(async () => {
    hub = await startServer('embedded');
    fleet = await startServerFleet(hub);
    ({ program, port } = await fleet.startServer());
    await fleet.permit('cluster1');
    agent = await fleet.connect('cluster1', port);
    await new Promise<void>((onSubscribed) =>
      agent.subscribe(
        { clusterName: 'cluster1', dataType: dataTypes.managedClusters },
        { onSubscribed, onEvent: ({ type }) => received.push(type), onError: (error) => losses.push(error) },
      ),
    );
    const { authorization = '' } = await fleet.bootstrapAccess(port);
    headers = { authorization };
    session = openSession();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    session?.destroy();
    await fleet?.[Symbol.asyncDispose]();
  });

  it(`lives through ${calls} of them, and its memory does not grow`, { timeout: 120_000 }, async () => {
    const statuses = new Map<string, number>();
    let next = 0;
    let settled = 0;
    const worker = async () => {
      while (next < calls) {
        const index = next;
        next += 1;
        const status = await send(malformedCall(index));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        // The heap of a process that has just started grows for a while, whatever it is sent.
        if (index === calls / 4) settled = await rssMiB(program.pid);
      }
    };
    await Promise.all(Array.from({ length: 40 }, worker));
    expect(program.running).toBe(true);
    // INVALID_ARGUMENT, PERMISSION_DENIED and the like: refused, and not by an end of the connection.
    const refused = ['3', '7', '9', '8', '13', '12'].reduce((sum, code) => sum + (statuses.get(code) ?? 0), 0);
    expect(refused).toBeGreaterThan(calls * 0.8);
    expect(await rssMiB(program.pid)).toBeLessThan(settled + 60);
  });

  it('refuses an event that is too large, and lives through broken frames', { timeout: 60_000 }, async () => {
    expect(['8', 'closed']).toContain(await send(hugeCall()));
    for (let index = 0; index < 100; index += 1) {
      await new Promise<void>((resolve) => {
        const socket = connectTls(
          { port, host: 'localhost', ca: fleet.authority.certificate, ALPNProtocols: ['h2'] },
          () => socket.end(brokenFrames()),
        );
        socket.on('error', () => {});
        socket.on('close', () => resolve());
        socket.setTimeout(2000, () => socket.destroy());
        socket.resume();
      });
    }
    expect(program.running).toBe(true);
  });

  it('served an agent that behaves all the while, and accepted no cluster', async () => {
    await hub.client.resource(managedClusters).create({ metadata: { name: 'cluster1' }, spec: {} });
    await expect
      .poll(() => received)
      .toContain(`${'cluster.open-cluster-management.io.v1.managedclusters'}.spec.create_request`);
    expect(losses).toEqual([]);
    const { items } = await hub.client.resource(managedClusters).list();
    expect(items.filter(({ spec }) => spec?.hubAcceptsClient)).toEqual([]);
    expect(items.map(({ metadata }) => metadata?.name)).not.toContain('another');
  });
});
