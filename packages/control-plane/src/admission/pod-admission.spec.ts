import { KubeError } from '@flotilla/kube';
import { namespaces, pods, priorityClasses, serviceAccounts } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { startTestPlane } from '../../fixtures/test-plane.ts';

const pod = { metadata: { namespace: 'default', name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };

describe('what admission does to pods', () => {
  it('gives a pod the default service account, its token, a priority and tolerations of lost nodes', async () => {
    const { client } = await startTestPlane({ serviceAccounts: true });
    await client.resource(serviceAccounts).create({ metadata: { namespace: 'default', name: 'default' } });
    const { spec } = await client.resource(pods).create(pod);
    expect(spec).toMatchObject({
      serviceAccountName: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: [{ key: 'node.kubernetes.io/not-ready' }, { key: 'node.kubernetes.io/unreachable' }],
    });
    const [volume] = spec?.volumes ?? [];
    expect(volume?.projected?.sources).toHaveLength(3);
    expect(spec?.containers[0]?.volumeMounts).toEqual([
      { name: volume?.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ]);
  });

  it('mounts no token where the account or the pod declines it', async () => {
    const { client } = await startTestPlane({ serviceAccounts: true });
    const metadata = { namespace: 'default', name: 'default' };
    await client.resource(serviceAccounts).create({ metadata, automountServiceAccountToken: false });
    const { spec } = await client.resource(pods).create(pod);
    expect(spec?.volumes).toBeUndefined();
  });

  it('refuses a pod whose service account is not there', async () => {
    const { client } = await startTestPlane({ serviceAccounts: true });
    const refused = client.resource(pods).create({ ...pod, spec: { ...pod.spec, serviceAccountName: 'robot' } });
    await expect(refused).rejects.toThrow(
      'pods "a" is forbidden: error looking up service account default/robot: serviceaccount "robot" not found',
    );
  });

  it('waits a moment for the default account of a new namespace', async () => {
    const { client, clock } = await startTestPlane({ serviceAccounts: true });
    await client.resource(namespaces).create({ metadata: { name: 'new' } });
    const created = client.resource(pods).create({ ...pod, metadata: { namespace: 'new', name: 'a' } });
    await clock.advance(500);
    await client.resource(serviceAccounts).create({ metadata: { namespace: 'new', name: 'default' } });
    expect((await created).spec?.serviceAccountName).toBe('default');
    const late = client
      .resource(pods)
      .create(pod)
      .catch((error) => KubeError.from(error));
    await clock.advance(1000);
    expect(await late).toMatchObject({ code: 'Forbidden' });
  });

  it('takes the priority from the class, and refuses one that differs from it or a class that is not there', async () => {
    const { client } = await startTestPlane();
    await client.resource(priorityClasses).create({ metadata: { name: 'high' }, value: 1000 });
    const withClass = (priorityClassName: string, priority?: number) =>
      client
        .resource(pods)
        .create({ ...pod, spec: { ...pod.spec, priorityClassName, ...(priority !== undefined && { priority }) } });
    await expect(withClass('none')).rejects.toThrow('no PriorityClass with name none was found');
    await expect(withClass('high', 1)).rejects.toThrow('the integer value of priority (1) must not be provided');
    expect((await withClass('high')).spec?.priority).toBe(1000);
  });
});
