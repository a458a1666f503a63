import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { accessKeyOf, signingTime } from '../../packages/driver-awsirsa/fixtures/token-user.ts';
import type { AwsServices } from './aws-services.ts';
import { isSigned, stsHost } from './sts-signature.ts';

/** STS under its public name, for a program that follows HTTPS_PROXY and SSL_CERT_FILE. */
export interface StsByName extends AsyncDisposable {
  readonly env: { readonly HTTPS_PROXY: string; readonly SSL_CERT_FILE: string };
  /** How each request ended. */
  readonly answers: readonly string[];
  /** Refuses signatures that are older than this, as STS does after fifteen minutes. */
  setSignatureLifetime(ms: number): void;
}

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** Starts a proxy that leads connections to STS to these services, with a certificate of its own authority. */
export async function startStsByName(services: AwsServices): Promise<StsByName> {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-sts-'));
  const authority = await createAuthority('sts of the suites', realClock);
  const { certificate: cert, key } = await issueCertificate(
    authority,
    { usage: 'server', hosts: [stsHost] },
    realClock,
  );
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, authority.certificate);
  const answers: string[] = [];
  let lifetimeMs = 15 * 60_000;
  const sts = createHttpsServer({ cert, key }, async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', `https://${stsHost}`);
    const keys = services.issued.find((known) => known.accessKeyId === accessKeyOf(searchParams));
    // Moto does not look at signatures.
    if (!keys || !(await isSigned(request, searchParams, keys))) {
      answers.push('SignatureDoesNotMatch');
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ Error: { Code: 'SignatureDoesNotMatch' } }));
      return;
    }
    if (realClock.now() - signingTime(searchParams) > lifetimeMs) {
      answers.push('ExpiredToken');
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ Error: { Code: 'ExpiredToken' } }));
      return;
    }
    const { status, body } = await services.callerIdentity(keys.accessKeyId);
    answers.push(`${status}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(asJson(body));
  });
  const stsPort = await listen(sts);
  const proxy = createHttpServer();
  proxy.on('connect', (request, socket) => {
    if (request.url !== `${stsHost}:443`) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const upstream = connect(stsPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  const proxyPort = await listen(proxy);
  return {
    env: { HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`, SSL_CERT_FILE: caFile },
    answers,
    setSignatureLifetime(ms) {
      lifetimeMs = ms;
    },
    async [Symbol.asyncDispose]() {
      for (const server of [proxy, sts]) {
        server.closeAllConnections();
        server.close();
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** STS answers in JSON if asked to, as aws-iam-authenticator does; moto answers in XML. */
function asJson(body: string): string {
  const element = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1] ?? '';
  const GetCallerIdentityResult = { Account: element('Account'), Arn: element('Arn'), UserId: element('UserId') };
  return JSON.stringify({ GetCallerIdentityResponse: { GetCallerIdentityResult } });
}
