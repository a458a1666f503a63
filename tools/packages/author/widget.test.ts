import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startControlPlane } from '@flotilla/control-plane';
import { createKubeClient, isConditionTrue, staticAccess } from '@flotilla/kube';
import { configMaps, customResourceDefinitions } from '@flotilla/kube/kinds';
import { runWidgets } from './controller.ts';
import { definitions, widgets } from './widget.ts';

test('a widget gets a config map and a condition, and can be deleted', async () => {
  await using plane = await startControlPlane();
  await using client = createKubeClient({ access: staticAccess(plane.access), fieldManager: 'widgets' });
  for (const definition of definitions) await client.resource(customResourceDefinitions).create(definition);
  const [stop, all] = [new AbortController(), client.resource(widgets)];
  const running = runWidgets(client, stop.signal);
  await all.create({ metadata: { namespace: 'default', name: 'w' }, spec: { size: 3 } });
  for await (const { type, object } of all.watch({ namespace: 'default', resourceVersion: '0' })) {
    if (type === 'DELETED') break;
    if (type !== 'MODIFIED' || !isConditionTrue(object.status?.conditions, 'Ready')) continue;
    assert.deepEqual((await client.resource(configMaps).get('default/w')).data, { size: '3' });
    await all.delete('default/w');
  }
  stop.abort();
  await running;
});
