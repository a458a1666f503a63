import { test } from 'node:test';
import { renderFor } from '@flotilla/addon-sdk/testing';
import { addon } from '../src/addon.ts';

test('what a cluster gets', async (t) => {
  t.assert.snapshot(await renderFor(addon, { cluster: 'cluster1' }));
});

test('what a cluster with a configuration of its own gets', async (t) => {
  const deployment = {
    metadata: { namespace: 'default', name: 'polite' },
    spec: {
      agentInstallNamespace: 'agents',
      customizedVariables: [{ name: 'GREETING', value: 'Good day' }],
      nodePlacement: { nodeSelector: { size: 'large' } },
      registries: [{ source: 'busybox', mirror: 'mirror.example.com/busybox' }],
    },
  };
  t.assert.snapshot(await renderFor(addon, { cluster: 'cluster1', configs: { deployment } }));
});
