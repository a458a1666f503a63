import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Image, type Images, type ProcessNode, startProcessNode } from '@flotilla/process-node';
import { type Server, type ServerKind, type ServerOptions, startServer } from '../registration/servers.ts';

/** An API server with a node that runs pods. */
export interface NodeCluster extends AsyncDisposable {
  readonly server: Server;
  readonly node: ProcessNode;
}

/** Answers over HTTP on the pod's address with the first argument, and writes a line for each request. */
const web = `
const { createServer } = require('node:http');
const [text, host] = process.argv.slice(1);
process.on('SIGTERM', () => process.exit(0));
const answer = (request, response) => { console.log('asked for ' + request.url); response.end(text); };
createServer(answer).listen(8080, host, () => console.log('listening'));
`;

/** Denies all that it is asked about; serves with the certificate in the directory of the first argument. */
const deny = `
const { readFileSync } = require('node:fs');
const { createServer } = require('node:https');
const [directory, host] = process.argv.slice(1);
const tls = { cert: readFileSync(directory + '/tls.crt'), key: readFileSync(directory + '/tls.key') };
const answer = async (request, response) => {
  const { request: review } = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}');
  const verdict = { uid: review?.uid, allowed: false, status: { message: 'a pod says no' } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: verdict }));
};
createServer(tls, answer).listen(9443, host);
`;

type Network = ProcessNode['network'];

/** A pod with a network of its own listens at all of its addresses, as a program does that knows nothing of this node. */
const images = (network: Network): Images => {
  const listening =
    (script: string): Image =>
    ({ args, podIP }) => ({
      command: process.execPath,
      args: ['-e', script, args[0] ?? '', network === 'namespace' ? '0.0.0.0' : podIP],
    });
  return {
    web: listening(web),
    deny: listening(deny),
    shell: ({ args }) => ({ command: '/bin/sh', args: ['-c', ...args] }),
  };
};

/** Pods have networks of their own only on a node that runs as root. */
export const networks: readonly Network[] = process.getuid?.() === 0 ? ['machine', 'namespace'] : ['machine'];

/** A real API server refuses endpoints on loopback, which is all that a node has without root. */
export const hasEndpoints = (kind: ServerKind, { node }: NodeCluster): boolean =>
  kind === 'embedded' || !node.address.startsWith('127.');
export const noEndpoints =
  'Services of this node have no endpoints: as root it has addresses that the API server accepts';

/** Starts both; the node's directory is removed at the end. */
export async function startNodeCluster(
  kind: ServerKind,
  { crds = [], network = 'machine' }: Pick<ServerOptions, 'crds'> & { readonly network?: Network } = {},
): Promise<NodeCluster> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startServer(kind, { crds, workloads: true }));
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-node-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const { client, access } = server;
  const node = stack.use(
    await startProcessNode({ client, server: access.server, images: images(network), directory, network }),
  );
  const cleanup = stack.move();
  return { server, node, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}
