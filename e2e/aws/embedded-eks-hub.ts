import { once } from 'node:events';
import { createServer, request as requestOnward } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { realClock } from '@flotilla/kube';
import { makeServingPair } from '@flotilla/kube/pki';
import { type FakeAws, startFakeAws } from '../../packages/driver-awsirsa/fixtures/fake-aws.ts';
import { sessionSecrets } from '../../packages/driver-awsirsa/fixtures/fake-iam.ts';
import { accessKeyOf, tokenQuery, userOf } from '../../packages/driver-awsirsa/fixtures/token-user.ts';
import { type Server, startServer } from '../registration/servers.ts';
import { account, awsEnv, hubName } from './account.ts';
import { isSigned, stsHost } from './sts-signature.ts';

/** The embedded API server behind a front that authenticates as EKS does, and an AWS in this process. */
export interface EmbeddedEksHub extends AsyncDisposable {
  readonly server: Server;
  readonly aws: FakeAws;
  readonly env: ReturnType<typeof awsEnv>;
}

/** Starts them. */
export async function startEmbeddedEksHub(): Promise<EmbeddedEksHub> {
  await using cleanup = new AsyncDisposableStack();
  const aws = cleanup.use(await startFakeAws({ account }));
  aws.setClock(realClock.now);
  const plane = cleanup.use(await startServer('embedded'));
  const access = cleanup.use(await startFront(plane, aws));
  const running = cleanup.move();
  const end = () => running.disposeAsync();
  const { client } = plane;
  return {
    server: { client, access, [Symbol.asyncDispose]: end },
    aws,
    env: awsEnv(aws.endpoint),
    [Symbol.asyncDispose]: end,
  };
}

/** The user of a token for this hub; undefined for other credentials, and for tokens that EKS refuses. */
async function authenticate(aws: FakeAws, authorization: string | undefined) {
  const query = tokenQuery(authorization);
  if (!query) return undefined;
  const keys = { accessKeyId: accessKeyOf(query), ...sessionSecrets };
  const asked = { method: 'GET', headers: { host: stsHost, 'x-k8s-aws-id': hubName } };
  return (await isSigned(asked, query, keys)) ? userOf(aws, query, realClock.now()) : undefined;
}

/**
 * Passes requests on: those with a token of a role in the name of its user, all others as they are. The server behind
 * refuses a token of a role, as it does not know such tokens.
 */
async function startFront({ access: { server, ca, clientCertificate } }: Server, aws: FakeAws) {
  const pair = await makeServingPair(['127.0.0.1'], { now: realClock.now(), lifeMs: 24 * 60 * 60_000 });
  const administrator = { cert: clientCertificate?.certificate, key: clientCertificate?.key };
  const front = createServer({ cert: pair.certificate, key: pair.key }, async (request, response) => {
    const { authorization, ...others } = request.headers;
    const user = await authenticate(aws, authorization);
    const headers = user
      ? { ...others, 'impersonate-user': user.name, 'impersonate-group': user.groups }
      : request.headers;
    const options = { method: request.method, headers, ca, ...(user && administrator) };
    const onward = requestOnward(new URL(request.url ?? '', server), options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // A watch has an answer before it has events.
      response.flushHeaders();
      pipeline(answer, response, () => undefined);
    });
    onward.on('error', () => response.destroy());
    pipeline(request, onward, () => undefined);
    response.on('close', () => onward.destroy());
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    server: `https://127.0.0.1:${(front.address() as AddressInfo).port}`,
    ca: pair.ca,
    origin: 'the front of the hub',
    async [Symbol.asyncDispose]() {
      front.closeAllConnections();
      front.close();
      await once(front, 'close');
    },
  };
}
