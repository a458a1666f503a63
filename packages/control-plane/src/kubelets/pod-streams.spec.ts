import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { pods, roleBindings, roles } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { startControlPlane } from '../start.ts';

const namespace = 'default';

it('lets a user into pods who may create streams, and not one who may only read', async () => {
  const staticTokens = { reader: { name: 'reader', groups: [] }, writer: { name: 'writer', groups: [] } };
  await using plane = await startControlPlane({ staticTokens });
  for (const [user, verb] of [
    ['reader', 'get'],
    ['writer', 'create'],
  ] as const) {
    const rules = [{ apiGroups: [''], resources: ['pods/exec', 'pods/portforward'], verbs: [verb] }];
    await plane.client.resource(roles).create({ metadata: { namespace, name: user }, rules });
    await plane.client.resource(roleBindings).create({
      metadata: { namespace, name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  }
  await plane.client
    .resource(pods)
    .create({ metadata: { namespace, name: 'web' }, spec: { containers: [{ name: 'main', image: 'web' }] } });
  const ask = (user: string, path: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${user}`, connection: 'Upgrade', upgrade: 'websocket' };
      const call = request(`${plane.server}/api/v1/namespaces/${namespace}/pods/${path}`, {
        ca: plane.ca,
        headers,
        agent: false,
      });
      call.once('response', async (answer) =>
        resolve(`${answer.statusCode} ${JSON.parse(await text(answer)).message}`),
      );
      call.once('error', reject);
      call.end();
    });
  expect(await ask('reader', 'web/exec?command=id')).toMatch(/^403 .*cannot create resource "pods\/exec"/);
  expect(await ask('reader', 'web/portforward')).toMatch(/^403 .*cannot create resource "pods\/portforward"/);
  expect(await ask('writer', 'web/exec?command=id')).toBe('400 pod web does not have a host assigned');
  expect(await ask('writer', 'web/exec?command=id&container=other')).toBe(
    '400 container other is not valid for pod web',
  );
  expect(await ask('writer', 'other/portforward')).toBe('404 pods "other" not found');
});
