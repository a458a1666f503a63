import { clusterManagers, klusterlets, managedClusters, NamespaceName } from '@flotilla/api-types';
import { clusterRoles, configMaps, serviceAccounts } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

const hubArn = 'arn:aws:eks:us-west-2:123456789012:cluster/hub-cluster1';
const managedArn = 'arn:aws:eks:us-west-2:123456789012:cluster/managed-cluster1';
const hubNamed = ['--hub-cluster-arn', hubArn];
const autoApproval = ['--feature-gates', 'ManagedClusterAutoApproval=true'];
const pattern = 'arn:aws:eks:us-west-2:2{12}:cluster/.*';

let world: CliWorld<'hub' | 'managed' | 'other'>;
beforeAll(async () => {
  world = await startWorld('hub', 'managed', 'other');
});
afterAll(() => world[Symbol.asyncDispose]());

const lineOf = (out: string, start: string): string =>
  out
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith(start)) ?? '';

describe('flotilla init --registration-drivers', () => {
  const init = (...flags: string[]) => world.flotilla(['init', '--kubeconfig', 'hub', ...flags]);
  const clean = () => world.flotilla(['clean', '--kubeconfig', 'hub', '--force']);
  const recorded = async () => {
    const { spec } = await world.planes.hub.client.resource(clusterManagers).get('cluster-manager');
    return spec?.registrationConfiguration ?? {};
  };

  it('records csr and the features that are on by default, if nothing is said [cli A12]', async () => {
    expect((await init('--use-bootstrap-token')).code).toBe(0);
    const { registrationDrivers, featureGates } = await recorded();
    expect(registrationDrivers).toEqual([{ authType: 'csr' }]);
    expect(featureGates?.map(({ feature }) => feature).toSorted()).toEqual(['DefaultClusterSet', 'ResourceCleanup']);
  });

  it('keeps the order, with the ARN and the tags, and prints how to start such a hub [cli A14]', async () => {
    const tags = ['--aws-resource-tags', 'product=a,team=b'];
    const { code, out, err } = await init('--registration-drivers', 'awsirsa,csr', ...hubNamed, ...tags);
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect((await recorded()).registrationDrivers).toEqual([
      { authType: 'awsirsa', awsirsa: { hubClusterArn: hubArn, tags: ['product=a', 'team=b'] } },
      { authType: 'csr' },
    ]);
    expect(lineOf(out, 'flotilla-hub')).toContain(
      ` --enabled-registration-drivers awsirsa,csr --hub-cluster-arn ${hubArn} --aws-resource-tags product=a,team=b`,
    );
    const { out: info } = await world.flotilla(['get', 'hub-info', '--kubeconfig', 'hub']);
    expect(info).toContain(`Clusters register by: awsirsa (${hubArn}), csr\n`);
  });

  it('gives the Deployment of the hub the same flags, and its service account the role that creates roles', async () => {
    const { client } = world.planes.hub;
    const account = await client.resource(serviceAccounts).get(`${NamespaceName.Hub}/registration-controller-sa`);
    expect(account.metadata?.annotations).toEqual({
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/hub-cluster1_managed-cluster-identity-creator',
    });
    const { data } = await client.resource(configMaps).get(`${NamespaceName.Hub}/cluster-manager-options`);
    expect(data).toEqual({
      FLOTILLA_ENABLED_REGISTRATION_DRIVERS: 'awsirsa,csr',
      FLOTILLA_HUB_CLUSTER_ARN: hubArn,
      FLOTILLA_AWS_RESOURCE_TAGS: 'product=a,team=b',
    });
  });

  it('lists who needs no administrator under each auth type, quoted for a shell [cli A15]', async () => {
    await clean();
    const { out } = await init(
      ...['--registration-drivers', 'csr,awsirsa', ...hubNamed, ...autoApproval],
      ...['--auto-approved-csr-identities', 'user1,user2', '--auto-approved-arn-patterns', pattern],
    );
    const { registrationDrivers, featureGates } = await recorded();
    expect(registrationDrivers).toEqual([
      { authType: 'csr', csr: { autoApprovedIdentities: ['user1', 'user2'] } },
      { authType: 'awsirsa', awsirsa: { hubClusterArn: hubArn, autoApprovedIdentities: [pattern] } },
    ]);
    expect(featureGates).toHaveLength(3);
    expect(lineOf(out, 'flotilla-hub')).toContain(` --auto-approved-arn-patterns '${pattern}'`);
  });

  it('keeps of an entry what the flags do not name', async () => {
    await init('--registration-drivers', 'awsirsa', '--auto-approved-arn-patterns', `${pattern}x`);
    expect((await recorded()).registrationDrivers).toEqual([
      { authType: 'awsirsa', awsirsa: { hubClusterArn: hubArn, autoApprovedIdentities: [`${pattern}x`] } },
    ]);
    await init();
    expect((await recorded()).registrationDrivers).toHaveLength(1);
    expect((await recorded()).featureGates).toHaveLength(3);
  });

  it('replaces the list of auth types, with the permissions that only certificates need [cli A13]', async () => {
    await init();
    await clean();
    const { code, out } = await init('--registration-drivers', 'awsirsa', ...hubNamed);
    expect(code).toBe(0);
    // The default of join is certificates, which this hub does not offer.
    expect(lineOf(out, 'flotilla join')).toContain(
      ` --registration-auth awsirsa --hub-cluster-arn ${hubArn} --cluster-name `,
    );
    expect((await recorded()).registrationDrivers).toEqual([
      { authType: 'awsirsa', awsirsa: { hubClusterArn: hubArn } },
    ]);
    const role = await world.planes.hub.client.resource(clusterRoles).get('open-cluster-management:bootstrap');
    expect(role.rules?.flatMap(({ resources }) => resources)).not.toContain('certificatesigningrequests');
  });

  it.each([
    { flags: ['--registration-drivers', 'csr,oidc'], says: '--registration-drivers oidc is not known' },
    { flags: ['--registration-drivers', 'awsirsa'], says: '--hub-cluster-arn is not set' },
    {
      flags: ['--registration-drivers', 'awsirsa', '--hub-cluster-arn', 'hub'],
      says: '--hub-cluster-arn "hub" is not the ARN of an EKS cluster',
    },
    { flags: hubNamed, says: '--hub-cluster-arn has no effect without --registration-drivers awsirsa' },
    {
      flags: ['--registration-drivers', 'awsirsa', ...hubNamed, '--auto-approved-csr-identities', 'me'],
      says: '--auto-approved-csr-identities has no effect without --registration-drivers csr',
    },
    {
      flags: ['--registration-drivers', 'awsirsa', ...hubNamed, '--auto-approved-arn-patterns', pattern],
      says: 'should enable feature gate ManagedClusterAutoApproval',
    },
    {
      flags: ['--registration-drivers', 'awsirsa', ...hubNamed, ...autoApproval, '--auto-approved-arn-patterns', '('],
      says: 'Failed to process auto approval ARN pattern: "("',
    },
    {
      flags: ['--registration-drivers', 'awsirsa', ...hubNamed, '--aws-resource-tags', 'team'],
      says: '"team" in --aws-resource-tags is not key=value',
    },
  ])('refuses, before it writes: $says', async ({ flags, says }) => {
    await clean();
    await init();
    const before = await recorded();
    const { code, err } = await init(...flags);
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
    expect(await recorded()).toEqual(before);
  });

  it('refuses patterns of ARNs on a hub without awsirsa, and names it [cli A17]', async () => {
    await clean();
    const { code, err } = await init(...autoApproval, '--auto-approved-arn-patterns', pattern);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /--auto-approved-arn-patterns has no effect without --registration-drivers awsirsa\n.*Add awsirsa/,
      ),
    ]);
  });
});

describe('flotilla join --registration-auth', () => {
  let joinInfo: string[];
  beforeAll(async () => {
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    const value = JSON.parse((await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json'])).out);
    joinInfo = [
      ...['--hub-token', value['hub-token'], '--hub-apiserver', value['hub-apiserver']],
      ...['--hub-ca-hash', value['hub-ca-hashes'][0]],
    ];
  });
  const join = (...flags: string[]) =>
    world.flotilla(['join', '--kubeconfig', 'managed', ...joinInfo, '--cluster-name', 'cluster1', ...flags]);
  const klusterlet = async () => {
    const { spec } = await world.planes.managed.client.resource(klusterlets).get('klusterlet');
    return spec?.registrationConfiguration?.registrationDriver;
  };
  const byRole = ['--registration-auth', 'awsirsa', ...hubNamed, '--managed-cluster-arn', managedArn];
  const ofRoles = { authType: 'awsirsa', awsIrsa: { hubClusterArn: hubArn, managedClusterArn: managedArn } };

  it('records the ARNs of both clusters in the Klusterlet, and keeps them the next time', async () => {
    const { code, err } = await join(...byRole);
    expect([code, err]).toEqual([0, expect.stringContaining('Preflight check: registration passed')]);
    expect(await klusterlet()).toEqual(ofRoles);
    expect((await join()).code).toBe(0);
    expect(await klusterlet()).toEqual(ofRoles);
    const { out } = await world.flotilla(['get', 'klusterlet-info', '--kubeconfig', 'managed']);
    expect(out).toContain('awsirsa');
  });

  it('gives the agents the role of the cluster, and their Deployment the flags', async () => {
    const { client } = world.planes.managed;
    const role = 'arn:aws:iam::123456789012:role/ocm-managed-cluster-7f8141296c75f2871e3d030f85c35692';
    for (const name of ['klusterlet-registration-sa', 'klusterlet-work-sa']) {
      const account = await client.resource(serviceAccounts).get(`${NamespaceName.Agent}/${name}`);
      expect(account.metadata?.annotations).toEqual({ 'eks.amazonaws.com/role-arn': role });
    }
    const { data } = await client.resource(configMaps).get(`${NamespaceName.Agent}/klusterlet-options`);
    expect(data).toEqual({
      FLOTILLA_REGISTRATION_AUTH: 'awsirsa',
      FLOTILLA_HUB_CLUSTER_ARN: hubArn,
      FLOTILLA_MANAGED_CLUSTER_ARN: managedArn,
    });
  });

  it('returns to certificates if that is asked for', async () => {
    expect((await join('--registration-auth', 'csr')).code).toBe(0);
    expect(await klusterlet()).toEqual({ authType: 'csr' });
  });

  describe('refuses', () => {
    beforeEach(() => join('--registration-auth', 'csr'));
    it.each([
      { flags: ['--registration-auth', 'oidc'], says: '--registration-auth oidc is not known' },
      { flags: ['--registration-auth', 'awsirsa'], says: '--hub-cluster-arn is not set' },
      { flags: ['--registration-auth', 'awsirsa', ...hubNamed], says: '--managed-cluster-arn is not set' },
      {
        flags: [...byRole.slice(0, -1), 'arn:aws:eks:us-west-2:12:cluster/c'],
        says: '--managed-cluster-arn "arn:aws:eks:us-west-2:12:cluster/c" is not the ARN of an EKS cluster',
      },
      { flags: hubNamed, says: '--hub-cluster-arn has no effect without --registration-auth awsirsa' },
    ])('$says', async ({ flags, says }) => {
      const { code, err } = await join(...flags);
      expect([code, err]).toEqual([2, expect.stringContaining(says)]);
      expect(await klusterlet()).toEqual({ authType: 'csr' });
    });
  });

  it('writes nothing on the hub: the agent asks', async () => {
    expect((await world.planes.hub.client.resource(managedClusters).list()).items).toEqual([]);
  });
});
