import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realClock } from '@flotilla/kube';
import type { Answer } from '../../packages/driver-awsirsa/fixtures/fake-aws.ts';
import { createEksApi, type FakeEntry } from '../../packages/driver-awsirsa/fixtures/fake-eks.ts';
import { account } from './account.ts';
import { startMoto } from './moto.ts';
import type { IssuedKeys } from './sts-signature.ts';

/** What happens to calls. */
export type AwsFault =
  | { readonly status: number; readonly code: string }
  | { readonly delayMs: number }
  /** The call is done, and its caller never gets the answer. */
  | 'lose the answer';

/** AWS on loopback: IAM, STS and the clusters of EKS by moto, and the access entries of EKS, which moto lacks. */
export interface AwsServices extends AsyncDisposable {
  readonly endpoint: string;
  /** By `<cluster>/<role ARN>`. */
  readonly entries: ReadonlyMap<string, FakeEntry>;
  /** What was called, as policies name it. */
  readonly calls: readonly string[];
  readonly issued: readonly IssuedKeys[];
  /** Called after each change of the entries. */
  onEntries(listener: () => void): void;
  /** The role names that IAM has. */
  roles(): Promise<string[]>;
  /** Calls IAM with the query protocol, as another client would. */
  iam(parameters: Record<string, string>): Promise<string>;
  /** GetCallerIdentity of STS, for a caller who has checked the signature. */
  callerIdentity(accessKeyId: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Disturbs calls of an action: the next ones, or all until it is called again without a fault. */
  disturb(action: string, fault?: AwsFault, times?: number): void;
  /** Ends all sessions of roles, as AWS does when a role is deleted or its sessions are revoked. */
  revokeSessions(): void;
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const element = (xml: string, name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
const queryError = (status: number, code: string): Answer => ({
  status,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>refused by the test</Message></Error></ErrorResponse>`,
  headers: { 'content-type': 'text/xml' },
});
const roleArnOf = (name: string | null | undefined) => `arn:aws:iam::${account}:role/${name}`;

/** Moto finds the service by the scope of the signature, which it does not check. */
const authorizationFor = (service: string, accessKeyId = 'AKIDTEST') =>
  `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/us-west-2/${service}/aws4_request, SignedHeaders=host, Signature=0`;

/** Starts the services with nothing in them. */
export async function startAwsServices(): Promise<AwsServices> {
  await using cleanup = new AsyncDisposableStack();
  const { port } = cleanup.use(await startMoto());
  const toMoto = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const contentType = answer.headers.get('content-type') ?? '';
    return { status: answer.status, body: await answer.text(), headers: { 'content-type': contentType } };
  };
  const queryMoto = (service: string, parameters: Record<string, string>, accessKeyId?: string) =>
    toMoto('/', {
      method: 'POST',
      body: new URLSearchParams(parameters),
      headers: { authorization: authorizationFor(service, accessKeyId) },
    });
  const calls: string[] = [];
  const issued: IssuedKeys[] = [];
  const entries = new Map<string, FakeEntry>();
  const roleArns = new Set<string>();
  const listeners: (() => void)[] = [];
  const accessEntries = createEksApi({ account, entries, isRole: (arn) => roleArns.has(arn) });

  const query = (form: URLSearchParams, authorization: string) => {
    const action = form.get('Action') ?? '';
    const roleArn = form.get('RoleArn') ?? roleArnOf(form.get('RoleName'));
    return {
      action: `${['AssumeRole', 'GetCallerIdentity'].includes(action) ? 'sts' : 'iam'}:${action}`,
      refuse: queryError,
      async answer() {
        // Moto issues keys for roles that do not exist.
        if (action === 'AssumeRole' && !roleArns.has(roleArn)) return queryError(403, 'AccessDenied');
        const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization };
        const answer = await toMoto('/', { method: 'POST', body: `${form}`, headers });
        if (answer.status !== 200) return answer;
        if (action === 'CreateRole') roleArns.add(roleArn);
        if (action === 'DeleteRole') roleArns.delete(roleArn);
        if (action === 'AssumeRole') {
          const of = (name: string) => element(answer.body, name);
          const [accessKeyId, secretAccessKey] = [of('AccessKeyId'), of('SecretAccessKey')];
          issued.push({ accessKeyId, secretAccessKey, sessionToken: of('SessionToken') });
        }
        return answer;
      },
    };
  };
  const rest = ({ method = '', url = '', headers }: IncomingMessage, body: string) => {
    const call = accessEntries(method, url, body);
    const isOurs = url.includes('/access-entries') || url.startsWith('/tags/');
    const init = { method, ...(body && { body }), headers: { authorization: headers.authorization ?? '' } };
    return {
      action: isOurs ? call.action : `eks:${method} ${url}`,
      refuse: (status: number, code: string) => call.refuse(status, code, 'refused by the test'),
      async answer() {
        if (!isOurs) return toMoto(url, init);
        const answer = call.answer();
        for (const listener of listeners) listener();
        return answer;
      },
    };
  };

  const faults = new Map<string, { readonly fault: AwsFault; times: number }>();
  const takeFault = (action: string): AwsFault | undefined => {
    const planned = faults.get(action);
    if (!planned || planned.times === 0) return undefined;
    planned.times -= 1;
    return planned.fault;
  };
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const form = new URLSearchParams(body);
    const call = form.has('Action') ? query(form, request.headers.authorization ?? '') : rest(request, body);
    calls.push(call.action);
    const fault = takeFault(call.action);
    if (typeof fault === 'object' && 'delayMs' in fault) await realClock.sleep(fault.delayMs);
    const refusal = typeof fault === 'object' && 'code' in fault ? call.refuse(fault.status, fault.code) : undefined;
    const answer = refusal ?? (await call.answer());
    if (fault === 'lose the answer') request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const running = cleanup.move();
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries,
    calls,
    issued,
    onEntries: (listener) => listeners.push(listener),
    async roles() {
      const { body } = await queryMoto('iam', { Action: 'ListRoles', Version: '2010-05-08' });
      return [...body.matchAll(/<RoleName>([^<]*)<\/RoleName>/g)].map(([, role = '']) => role);
    },
    async iam(parameters) {
      if (parameters.Action === 'DeleteRole') roleArns.delete(roleArnOf(parameters.RoleName));
      if (parameters.Action === 'CreateRole') roleArns.add(roleArnOf(parameters.RoleName));
      return (await queryMoto('iam', { Version: '2010-05-08', ...parameters })).body;
    },
    callerIdentity: (accessKeyId) =>
      queryMoto('sts', { Action: 'GetCallerIdentity', Version: '2011-06-15' }, accessKeyId),
    disturb(action, fault, times = Number.POSITIVE_INFINITY) {
      if (fault) faults.set(action, { fault, times });
      else faults.delete(action);
    },
    revokeSessions: () => void issued.splice(0),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
