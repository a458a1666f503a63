import { configMaps, namespaces, secrets } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { entryOf, putSecret } from '../fixtures/kubeconfigs.ts';
import { startOperator } from '../fixtures/running-operator.ts';

const pull = 'open-cluster-management-image-pull-credentials';
const source = `open-cluster-management/${pull}`;
const labels = { 'addon.open-cluster-management.io/namespace': 'true' };

describe('namespaces of agents and add-ons', () => {
  it('[cli D24] get the image pull secret, as long as the operator has it', async () => {
    await using operator = await startOperator();
    const { client } = operator.plane;
    await operator.create();
    await client.resource(namespaces).create({ metadata: { name: 'labelled', labels } });
    await client.resource(namespaces).create({ metadata: { name: 'other' } });
    await client.resource(namespaces).create({ metadata: { name: 'own', labels } });
    await client.resource(secrets).create({ metadata: { namespace: 'own', name: pull }, data: { a: 'b3du' } });
    await putSecret(operator, source, { '.dockerconfigjson': '{}' });
    const targets = ['open-cluster-management-agent', 'open-cluster-management-agent-addon', 'labelled'];
    for (const namespace of targets)
      expect(await entryOf(operator, `${namespace}/${pull}`, '.dockerconfigjson')).toBe('{}');
    expect(await client.resource(secrets).find(`other/${pull}`)).toBeUndefined();
    await putSecret(operator, source, { '.dockerconfigjson': '{"auths":{}}' });
    for (const namespace of targets) {
      expect(await entryOf(operator, `${namespace}/${pull}`, '.dockerconfigjson')).toBe('{"auths":{}}');
    }
    await client.resource(secrets).delete(source);
    await operator.quiet();
    for (const namespace of targets)
      expect(await client.resource(secrets).find(`${namespace}/${pull}`)).toBeUndefined();
  });

  it('[cli D25] get the TLS profile, written only if it differs', async () => {
    await using operator = await startOperator();
    const handle = operator.plane.client.resource(configMaps);
    await operator.plane.client.resource(namespaces).create({ metadata: { name: 'labelled', labels } });
    const metadata = { namespace: 'open-cluster-management', name: 'ocm-tls-profile' };
    await handle.create({ metadata, data: { minTLSVersion: 'VersionTLS13' } });
    await operator.quiet();
    const copy = async () => (await handle.find('labelled/ocm-tls-profile'))?.data;
    expect(await copy()).toEqual({ minTLSVersion: 'VersionTLS13' });
    await handle.patch('labelled/ocm-tls-profile', {
      type: 'merge',
      body: { data: { minTLSVersion: 'VersionTLS12' } },
    });
    await operator.quiet();
    expect(await copy()).toEqual({ minTLSVersion: 'VersionTLS13' });
    operator.takeWrites();
    await handle.patch('open-cluster-management/ocm-tls-profile', {
      type: 'merge',
      body: { metadata: { labels: { a: 'b' } } },
    });
    await operator.quiet();
    expect(operator.takeWrites()).toEqual([]);
    await handle.delete('open-cluster-management/ocm-tls-profile');
    await operator.quiet();
    expect(await copy()).toBeUndefined();
  });

  it('keep a pull secret that a user made', async () => {
    await using operator = await startOperator();
    const { client } = operator.plane;
    await client.resource(namespaces).create({ metadata: { name: 'own', labels } });
    await client.resource(secrets).create({ metadata: { namespace: 'own', name: pull }, data: { a: 'b3du' } });
    await operator.quiet();
    expect(await entryOf(operator, `own/${pull}`, 'a')).toBe('own');
  });
});
