import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ManifestWork, type ManifestWorkSpec, manifestWorks } from '@flotilla/api-types';
import { findFreePort } from '@flotilla/envtest';
import { createKubeClient, type KubeClient, KubeError, realClock, staticAccess } from '@flotilla/kube';
import type { ApiStatus } from '@flotilla/kube/errors';
import {
  namespaces,
  roleBindings,
  roles,
  serviceAccounts,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import type { EmbeddedResource } from '@flotilla/schema';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ocmPrograms } from '../ocm/programs.ts';
import { type Program, startExecutable, startProgram, tail } from '../registration/program.ts';
import { accessOf, type Server, startServer } from '../registration/servers.ts';

/** Whose webhook server is asked about works in the namespace of this name. */
const servers = ['ours', 'theirs'] as const;
type Whose = (typeof servers)[number];

const path = '/validate-work-open-cluster-management-io-v1-manifestwork';
const name = 'manifestworkvalidators.admission.work.open-cluster-management.io';
const limit = 2000;
const pollOptions = { timeout: 540_000, interval: 1000 };

const configMap = (
  name: string,
  data: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): EmbeddedResource => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, ...metadata },
  data,
});

const runAs = (namespace: string, name: string): ManifestWorkSpec['executor'] => ({
  subject: { type: 'ServiceAccount', serviceAccount: { namespace, name } },
});

describe("the webhook of works and OCM's, asked by one API server", () => {
  let hub: Server;
  let directory: string;
  let tester: KubeClient;
  const programs: Program[] = [];

  beforeAll(async () => {
    hub = await startServer('kube-apiserver');
    directory = await mkdtemp(join(tmpdir(), 'flotilla-webhooks-'));
    const authority = await createAuthority('webhooks', realClock);
    const { certificate, key } = await issueCertificate(
      authority,
      { usage: 'server', hosts: ['127.0.0.1'] },
      realClock,
    );
    await writeFile(join(directory, 'tls.crt'), certificate);
    await writeFile(join(directory, 'tls.key'), key, { mode: 0o600 });
    const kubeconfig = join(directory, 'kubeconfig.yaml');
    await writeKubeconfig(kubeconfig, kubeconfigFor(hub.access));
    const ports = { ours: await findFreePort(), theirs: await findFreePort() };
    const flags = (whose: Whose) => [
      'webhook-server',
      `--kubeconfig=${kubeconfig}`,
      `--certdir=${directory}`,
      `--port=${ports[whose]}`,
      `--manifestLimit=${limit}`,
    ];
    const quiet = ['--bind-address=127.0.0.1', '--metrics-port=0', '--health-probe-port=0'];
    programs.push(startProgram('hub', [...flags('ours'), ...quiet]));
    const { work } = await ocmPrograms();
    programs.push(startExecutable(work, flags('theirs')));
    await prepare(hub.client, authority.certificate, ports);
    tester = createKubeClient({ access: staticAccess(await accessOf(hub, 'default/tester')) });
    for (const whose of servers) {
      await vi
        .waitFor(async () => {
          // It serves its health on port 8000 of all addresses, which a pod of another suite may have for now.
          if (programs[1]?.running === false) programs[1] = startExecutable(work, flags('theirs'));
          expect(await refusalOf(whose, { workload: { manifests: [] } })).toMatchObject({ code: 400 });
        }, pollOptions)
        .catch((error) => {
          console.error(programs.map(tail).join('\n\n'));
          throw error;
        });
    }
  }, 600_000);
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(programs.map(tail).join('\n\n'));
  });
  afterAll(async () => {
    await tester?.close();
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    await hub?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  /** What the API server says if the work is refused; nothing is stored. */
  async function refusalOf(whose: Whose, spec: ManifestWorkSpec, by = hub.client): Promise<ApiStatus | undefined> {
    const work: ManifestWork = { metadata: { namespace: whose, name: 'w' }, spec };
    try {
      await by.resource(manifestWorks).create(work, { dryRun: true });
      return undefined;
    } catch (error) {
      if (error instanceof KubeError && error.apiStatus) return error.apiStatus;
      throw error;
    }
  }

  const refusalText = (status: ApiStatus | undefined, whose: Whose) =>
    status && { code: status.code, reason: status.reason, message: status.message?.replaceAll(whose, 'NAMESPACE') };

  async function compared(spec: ManifestWorkSpec, by = hub.client) {
    const [ours, theirs] = await Promise.all(
      servers.map(async (whose) => refusalText(await refusalOf(whose, spec, by), whose)),
    );
    expect(ours).toEqual(theirs);
    return ours;
  }

  it.each<[string, readonly EmbeddedResource[]]>([
    ['nothing', []],
    ['one object', [configMap('a')]],
    ['an object without a name', [configMap('a'), configMap('')]],
    ['a generated name', [configMap('', {}, { generateName: 'a-' })]],
    ['a name and a generated one', [configMap('a', {}, { generateName: 'a-' })]],
    ['the same object twice', [configMap('a'), configMap('b'), configMap('a', { more: 'x' })]],
    ['a name in another namespace', [configMap('a'), configMap('a', {}, { namespace: 'other' })]],
    ['a name of another kind', [configMap('a'), { ...configMap('a'), kind: 'Secret' }]],
    ['too much', [configMap('a', { text: 'x'.repeat(limit) })]],
  ])('says the same about %s', async (_, manifests) => {
    await compared({ workload: { manifests: [...manifests] } });
  });

  it('counts the same bytes, whatever is in the manifests', async () => {
    const character = fc.constantFrom('<', '>', '&', '\u2028', '"', '\\', '\n', '\u0001', 'ü', '€', '😀', 'x');
    const text = fc.array(character, { minLength: 20, maxLength: 60 }).map((parts) => parts.join(''));
    const value = fc.oneof(
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.array(text),
    );
    const data = fc.dictionary(fc.stringMatching(/^[a-z<&ü]{1,8}$/), value, { maxKeys: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(data, { minLength: 1, maxLength: 3 }), async (contents) => {
        const filler = { filler: 'x'.repeat(limit) };
        const manifests = contents.map((content, index) => configMap(`m${index}`, { ...content, ...filler }));
        const refusal = await compared({ workload: { manifests } });
        expect(refusal?.message).toMatch(/the size of manifests is \d+ bytes which exceeds the 2000 limit$/);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['the limit', 0, undefined],
    ['one byte more', 1, 'the size of manifests is 2001 bytes which exceeds the 2000 limit'],
  ])('draws the line at the same byte: %s', async (_, extra, message) => {
    const around = JSON.stringify(configMap('a', { text: '' })).length + 3;
    const manifests = [configMap('a', { text: 'x'.repeat(limit - around + extra) })];
    const refusal = await compared({ workload: { manifests } });
    if (message === undefined) expect(refusal).toBeUndefined();
    else expect(refusal?.message).toContain(message);
  });

  it('asks for the same right to name an executor, in the same words', async () => {
    const workload = { manifests: [configMap('a')] };
    expect(await compared({ workload, executor: runAs('apps', 'allowed') }, tester)).toBeUndefined();
    const refusal = await compared({ workload, executor: runAs('apps', 'other') }, tester);
    expect(refusal?.message).toContain('cannot manipulate the Manifestwork with executor apps/other in namespace');
    expect(await compared({ workload, executor: { subject: { type: 'ServiceAccount' } } }, tester)).toMatchObject({
      code: 400,
    });
  });
});

/** Two namespaces with a webhook each, and a user who may create works and use one executor. */
async function prepare(client: KubeClient, ca: string, ports: Readonly<Record<Whose, number>>): Promise<void> {
  const group = 'work.open-cluster-management.io';
  for (const whose of servers) {
    await client.resource(namespaces).create({ metadata: { name: whose } });
    const metadata = { namespace: whose, name: 'tester' };
    await client.resource(roles).create({
      metadata,
      rules: [
        { apiGroups: [group], resources: ['manifestworks'], verbs: ['create'] },
        {
          apiGroups: [group],
          resources: ['manifestworks'],
          resourceNames: ['system:serviceaccount:apps:allowed'],
          verbs: ['execute-as'],
        },
      ],
    });
    await client.resource(roleBindings).create({
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'tester' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'tester' }],
    });
    await client.resource(validatingWebhookConfigurations).create({
      metadata: { name: whose },
      webhooks: [
        {
          name,
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          clientConfig: {
            url: `https://127.0.0.1:${ports[whose]}${path}`,
            caBundle: Buffer.from(ca).toString('base64'),
          },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': whose } },
          rules: [
            { apiGroups: [group], apiVersions: ['*'], resources: ['manifestworks'], operations: ['CREATE', 'UPDATE'] },
          ],
        },
      ],
    });
  }
  await client.resource(serviceAccounts).create({ metadata: { namespace: 'default', name: 'tester' } });
}
