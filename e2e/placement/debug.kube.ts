import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { managedClusterSetBindings, managedClusterSets, managedClusters, placements } from '@flotilla/api-types';
import {
  clusterRoleBindings,
  createToken,
  namespaces,
  roleBindings,
  roles,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from '../registration/program.ts';
import { deploy, kubeconfigOf, type Server, serverKinds, startServer } from '../registration/servers.ts';

const debuggerRole = 'open-cluster-management:placement-debugger';
const rbac = 'rbac.authorization.k8s.io';

describe.each(serverKinds)('the debug server of placements, on %s', (kind) => {
  const cleanup = new AsyncDisposableStack();
  let server: Server;
  let url: string;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    server = cleanup.use(await startServer(kind));
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-debug-'));
    cleanup.defer(() => rm(directory, { recursive: true, force: true }));
    await deploy(server, 'hub', ['namespace.yaml', 'placement-debug/rbac.yaml']);
    await createFleet(server);
    for (const name of ['powerless', 'reader', 'developer']) {
      await server.client.resource(serviceAccounts).create({ metadata: { namespace: 'team', name } });
      tokens.set(name, (await createToken(server.client, `team/${name}`, { expirationSeconds: 3600 })).token);
    }
    await grantDebugging(server, ['reader', 'developer']);
    await grantPlacements(server, 'developer');

    const account = 'open-cluster-management-hub/placement-debug-sa';
    const kubeconfig = await kubeconfigOf(server, account, directory);
    const program = cleanup.use(startProgram('hub', ['placement-debug', `--kubeconfig=${kubeconfig}`, '--port=0']));
    const line = await program.said('serving the debugging of placements');
    url = `${String(line.url).replace('0.0.0.0', '127.0.0.1')}/debug/placements/`;
  }, 120_000);
  afterAll(() => cleanup.disposeAsync());

  it('[placement 15.8-164] explains a stored placement to who may create placements there', async () => {
    const { status, body } = await ask(`${url}team/web`, { token: tokens.get('developer') });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      placement: { metadata: { namespace: 'team', name: 'web' } },
      filteredPipelineResults: [
        { name: 'Predicate', filteredClusters: ['c1', 'c2'] },
        { name: 'Predicate,TaintToleration', filteredClusters: ['c1'] },
      ],
      aggregatedScores: [{ clusterName: 'c1', score: 100 }],
      selectedClusters: ['c1'],
    });
  });

  it('[placement 15.8-165] explains a placement that is not stored', async () => {
    const posted = JSON.stringify({ metadata: { namespace: 'team', name: 'new' }, spec: { numberOfClusters: 1 } });
    const { body } = await ask(url, { token: tokens.get('developer'), posted });
    expect(JSON.parse(body)).toMatchObject({
      placement: { metadata: { namespace: 'team', name: 'new' } },
      aggregatedScores: [
        { clusterName: 'c1', score: 100 },
        { clusterName: 'c3', score: 100 },
      ],
      selectedClusters: ['c1'],
    });
    expect(await server.client.resource(placements).find('team/new')).toBeUndefined();
  });

  it('[placement 15.8-166] reveals nothing to others', async () => {
    const path = `${url}team/web`;
    expect((await ask(path, { token: 'forged' })).status).toBe(401);
    expect((await ask(path, { token: tokens.get('powerless') })).status).toBe(403);
    const { status, body } = await ask(path, { token: tokens.get('reader') });
    expect({ status, ...JSON.parse(body) }).toEqual({
      status: 200,
      error: expect.stringContaining('user does not have permission to create placements in namespace team'),
    });
  });
});

/** Asks; the certificate is one that the program made for itself. */
function ask(
  url: string,
  { token, posted }: { readonly token?: string | undefined; readonly posted?: string } = {},
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const method = posted === undefined ? 'GET' : 'POST';
  request(url, { method, headers, rejectUnauthorized: false, agent: false }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
  })
    .on('error', reject)
    .end(posted);
  return promise;
}

async function createFleet({ client }: Server): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name: 'team' } });
  const clusterSelector = { selectorType: 'LabelSelector', labelSelector: {} } as const;
  await client.resource(managedClusterSets).create({ metadata: { name: 'everywhere' }, spec: { clusterSelector } });
  const metadata = { namespace: 'team', name: 'everywhere' };
  await client.resource(managedClusterSetBindings).create({ metadata, spec: { clusterSet: 'everywhere' } });
  const taints = [{ key: 'broken', effect: 'NoSelect' as const }];
  const clusters = { c1: { env: 'prod' }, c2: { env: 'prod' }, c3: { env: 'dev' } };
  for (const [name, labels] of Object.entries(clusters)) {
    const spec = { hubAcceptsClient: true, ...(name === 'c2' && { taints }) };
    await client.resource(managedClusters).create({ metadata: { name, labels }, spec });
  }
  const predicates = [{ requiredClusterSelector: { labelSelector: { matchLabels: { env: 'prod' } } } }];
  await client.resource(placements).create({ metadata: { namespace: 'team', name: 'web' }, spec: { predicates } });
}

const accounts = (names: readonly string[]) =>
  names.map((name) => ({ kind: 'ServiceAccount', namespace: 'team', name }));

async function grantDebugging({ client }: Server, names: readonly string[]): Promise<void> {
  await client.resource(clusterRoleBindings).create({
    metadata: { name: 'placement-debuggers' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: debuggerRole },
    subjects: accounts(names),
  });
}

async function grantPlacements({ client }: Server, name: string): Promise<void> {
  const metadata = { namespace: 'team', name: 'placements' };
  const rules = [{ apiGroups: ['cluster.open-cluster-management.io'], resources: ['placements'], verbs: ['create'] }];
  await client.resource(roles).create({ metadata, rules });
  await client.resource(roleBindings).create({
    metadata,
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'placements' },
    subjects: accounts([name]),
  });
}
