import {
  addOnDeploymentConfigsV1alpha1,
  type ClusterManagementAddOnV1alpha1,
  clusterManagementAddOnsV1alpha1,
  Label,
  type ManagedClusterAddOnV1alpha1,
  managedClusterAddOnsV1alpha1,
  managedClusters,
  manifestWorks,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { namespaces } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AddOnAuthor, configKind, startAuthor } from '../addons/author.ts';
import { ocmDefinitions } from '../ocm/definitions.ts';
import type { Program } from '../registration/program.ts';
import { type InteropFleet, startInteropFleet } from './interop-fleet.ts';
import { normalised } from './normalised.ts';

const names = ['c1', 'c2', 'c3'];
const namespace = 'team';
/** What v1.3 says before the counts, and v1.2.1 does not yet. */
const newWords = 'selected clusters 3. configured addons ';
const poll = { timeout: 100_000, interval: 200 };
const spec: ClusterManagementAddOnV1alpha1['spec'] = {
  supportedConfigs: [{ ...configKind, defaultConfig: { namespace, name: 'default' } }],
  installStrategy: {
    type: 'Placements',
    placements: [
      {
        namespace,
        name: 'all',
        configs: [{ ...configKind, namespace, name: 'special' }],
        rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } },
      },
    ],
  },
};

describe('on a server with the definitions of OCM, add-on managers of OCM and of ours', () => {
  let fleet: InteropFleet;
  const authors: AddOnAuthor[] = [];
  beforeAll(async () => {
    const theirs = await ocmDefinitions();
    const known = new Set(theirs.map(({ metadata }) => metadata?.name));
    const others = customResourceDefinitions().filter(({ metadata }) => !known.has(metadata?.name));
    fleet = await startInteropFleet({ crds: [...theirs, ...others] });
    const { client } = fleet.hub;
    for (const name of [namespace, ...names]) await client.resource(namespaces).create({ metadata: { name } });
    for (const name of names) await client.resource(managedClusters).create({ metadata: { name } });
    for (const name of ['default', 'special']) {
      await client.resource(addOnDeploymentConfigsV1alpha1).create({ metadata: { namespace, name }, spec: {} });
    }
    await client.resource(placements).create({ metadata: { namespace, name: 'all' }, spec: {} });
    const labels = { [Label.Placement]: 'all', [Label.DecisionGroupIndex]: '0', [Label.DecisionGroupName]: '' };
    await client.resource(placementDecisions).create({ metadata: { namespace, name: 'all-1', labels } });
    const body = { status: { decisions: names.map((clusterName) => ({ clusterName, reason: '' })) } };
    await client.resource(placementDecisions).status.patch(`${namespace}/all-1`, { type: 'merge', body });
  }, 180_000);
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    for (const author of authors) await author[Symbol.asyncDispose]();
    await fleet?.[Symbol.asyncDispose]();
  });

  const start = {
    ours: async (): Promise<Program> => fleet.startHub(['--controllers=addon']),
    theirs: () => fleet.startOcm('addon', fleet.hub, ['manager', '--namespace=open-cluster-management-hub']),
  };
  const offers = () => fleet.hub.client.resource(clusterManagementAddOnsV1alpha1);
  const addOnsOf = async (name: string): Promise<ManagedClusterAddOnV1alpha1[]> =>
    (await fleet.hub.client.resource(managedClusterAddOnsV1alpha1).list()).items.filter(
      ({ metadata }) => metadata?.name === name,
    );
  const objectsOf = async (name: string) => [
    await offers().get(name),
    ...(await addOnsOf(name)),
    // Their status is that of the stand-in for the add-on's manager, and counts how often it wrote them.
    ...(await fleet.hub.client.resource(manifestWorks).list()).items
      .filter(({ metadata }) => metadata?.labels?.[Label.AddOnName] === name)
      .map(({ status, ...work }) => work),
  ];
  const message = (name: string) => async () =>
    (await offers().get(name)).status?.installProgressions?.[0]?.conditions?.[0]?.message;
  /** Offers an add-on, and resolves when it is configured everywhere. */
  const offer = async (name: string): Promise<void> => {
    authors.push(startAuthor(fleet.hub.client, name));
    await offers().create({ metadata: { name }, spec });
    await expect.poll(message(name), poll).toContain('3/3 completed with no errors, 0 failed 0 timeout.');
  };

  it('write the same: spec, owners, references, conditions and progressions', { timeout: 300_000 }, async () => {
    const theirs = await start.theirs();
    await offer('made-by-theirs');
    await theirs.end();
    const ours = await start.ours();
    await offer('made-by-ours');
    await ours.end();
    const all = async (name: string) =>
      (await objectsOf(name)).map((object) =>
        JSON.parse(JSON.stringify(normalised(object, name)).replaceAll(newWords, '')),
      );
    expect(await all('made-by-ours')).toEqual(await all('made-by-theirs'));
  });

  it.each([
    ['ours', 'theirs'],
    ['theirs', 'ours'],
  ] as const)(
    '%s takes over what %s made, and writes nothing on clusters',
    { timeout: 300_000 },
    async (next, last) => {
      // But for the message of the progression, which v1.3 words otherwise.
      const versions = async () => {
        const [, ...onClusters] = await objectsOf(`made-by-${last}`);
        return onClusters.map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`);
      };
      const before = await versions();
      const manager = await start[next]();
      // Once it has done this it has seen the others too.
      await offer(`marker-of-${next}`);
      expect(await versions()).toEqual(before);
      await manager.end();
    },
  );

  it('ours rolls out what changes on an add-on that theirs made', { timeout: 300_000 }, async () => {
    const manager = await start.ours();
    const works = async () =>
      (await objectsOf('made-by-theirs')).filter(({ metadata }) => metadata?.name?.endsWith('-deploy-0'));
    const uids = (await works()).map(({ metadata }) => metadata?.uid);
    const body = { spec: { customizedVariables: [{ name: 'VALUE', value: 'new' }] } };
    await fleet.hub.client
      .resource(addOnDeploymentConfigsV1alpha1)
      .patch(`${namespace}/special`, { type: 'merge', body });
    const hashes = async () =>
      new Set(
        (await addOnsOf('made-by-theirs')).map(
          ({ status }) => status?.configReferences?.[0]?.lastAppliedConfig?.specHash,
        ),
      );
    const [old] = await hashes();
    await expect.poll(async () => [...(await hashes())].includes(old), poll).toBe(false);
    await expect.poll(message('made-by-theirs'), poll).toContain('3/3 completed');
    expect((await works()).map(({ metadata }) => metadata?.uid)).toEqual(uids);
    await manager.end();
  });
});
