import { describe, expect, it } from 'vitest';
import { hook } from '../author/marks.ts';
import { specHash } from '../configs/spec-hash.ts';
import { config } from '../definition/config.ts';
import { configMap, job } from '../fixtures/objects.ts';
import { runProbe, stopAfterEach } from '../fixtures/one-addon.ts';

stopAfterEach();

const group = 'addon.open-cluster-management.io';
const resource = 'addondeploymentconfigs';

/** An add-on that renders the variable of its configuration, with the configuration of cluster c1 and one of somebody else. */
async function start(hooks = false) {
  const probe = await runProbe([], {
    configs: { deployment: config.deployment() },
    render: ({ configs: { deployment } }) => {
      const [variable] =
        (deployment as { spec?: { customizedVariables?: { value: string }[] } })?.spec?.customizedVariables ?? [];
      const value = variable?.value ?? 'none';
      return [configMap('a', { value }), ...(hooks ? [hook.preDelete({ ...job('clean'), data: value })] : [])];
    },
  });
  const { hub } = probe;
  await hub.namespaces.create({ metadata: { name: 'other' } });
  const create = async (namespace: string, name: string, value: string) => {
    const spec = { customizedVariables: [{ name: 'VALUE', value }] };
    const created = await hub.deploymentConfigs.create({ metadata: { namespace, name }, spec });
    return { group, resource, desiredConfig: { namespace, name, specHash: specHash(created) } };
  };
  const own = await create('c1', 'own', 'public');
  const secret = await create('other', 'secret', 'password');
  await hub.offers.create({
    metadata: { name: 'probe' },
    spec: { defaultConfigs: [{ group, resource, namespace: 'c1', name: 'own' }] },
  });
  await probe.enable('c1', 'probe');
  await probe.setReferences('c1', 'probe', [own]);
  const texts = async () => JSON.stringify(await probe.works('c1'));
  expect(await texts()).toContain('public');
  return { ...probe, own, secret, texts };
}

const refusal =
  'config addondeploymentconfigs other/secret is in the status, but the hub did not choose it for this cluster';

describe('a configuration that only the status of an add-on names', () => {
  it('is not rendered, and conditions name it', async () => {
    const { forgeReferences, secret, texts, condition, own } = await start();
    await forgeReferences('c1', 'probe', [secret]);
    expect(await texts()).not.toContain('password');
    expect(await condition('c1', 'probe', 'ManifestApplied')).toContain(
      `False ManifestWorkApplyFailed: failed to get manifest from agent interface: add-on probe on cluster c1: ${refusal}`,
    );
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toContain(`SetPermissionFailed`);
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toContain(refusal);
    await forgeReferences('c1', 'probe', [own]);
    expect(await condition('c1', 'probe', 'ManifestApplied')).toBeUndefined();
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toContain('True NilRegistration');
  });

  it('is not rendered for a cluster that claims to wait for its turn', async () => {
    const { hub, addon, forgeReferences, secret, texts, quiet } = await start();
    const waiting = {
      type: 'Configured',
      status: 'False',
      reason: 'x',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const conditions = [...((await addon('c1', 'probe'))?.status?.conditions ?? []), waiting];
    await hub.addons.status.patch('c1/probe', { type: 'merge', body: { status: { conditions } } });
    await forgeReferences('c1', 'probe', [secret]);
    await hub.works.delete('c1/addon-probe-deploy-0');
    await quiet();
    expect(await texts()).not.toContain('password');
  });

  it('is rendered as soon as the cluster or the offer names it', async () => {
    const { hub, quiet, forgeReferences, secret, texts } = await start();
    await forgeReferences('c1', 'probe', [secret]);
    const { namespace, name } = secret.desiredConfig;
    await hub.offers.patch('probe', {
      type: 'merge',
      body: { spec: { defaultConfigs: [{ group, resource, namespace, name }] } },
    });
    await quiet();
    expect(await texts()).toContain('password');
  });

  it('is not rendered for hooks of an add-on that is being deleted; with nothing left that offers it, the add-on goes', async () => {
    const { hub, quiet, forgeReferences, secret, texts, addon } = await start(true);
    await hub.addons.delete('c1/probe');
    await quiet();
    await forgeReferences('c1', 'probe', [secret]);
    expect(await addon('c1', 'probe')).toBeDefined();
    expect(await texts()).not.toContain('password');
    await hub.offers.delete('probe');
    await quiet();
    expect(await addon('c1', 'probe')).toBeUndefined();
    expect(await texts()).not.toContain('password');
  });
});
