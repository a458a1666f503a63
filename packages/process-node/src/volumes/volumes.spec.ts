import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeClient } from '@flotilla/kube';
import type { Pod, Secret, Volume } from '@flotilla/kube/kinds';
import { FakeClock, temporaryDirectory } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { AtomicDirectory } from './atomic-directory.ts';
import { PodVolumes } from './pod-volumes.ts';

const file = (text: string, mode = 0o644) => ({ content: Buffer.from(text), mode });
const placement = { podIP: '127.9.9.2', hostIP: '127.9.9.1', allocatable: {} };

it('replaces all files at once, and removes those that are gone', async () => {
  await using scratch = await temporaryDirectory();
  const directory = new AtomicDirectory(join(scratch.path, 'v'));
  expect(
    await directory.write(
      new Map([
        ['a', file('1')],
        ['sub/b', file('2')],
      ]),
    ),
  ).toBe(true);
  expect(readFileSync(join(directory.path, 'sub/b'), 'utf8')).toBe('2');
  expect(statSync(join(directory.path, 'a')).mode & 0o777).toBe(0o600);
  expect(
    await directory.write(
      new Map([
        ['a', file('1')],
        ['sub/b', file('2')],
      ]),
    ),
  ).toBe(false);
  expect(await directory.write(new Map([['a', file('3')]]))).toBe(true);
  expect(readFileSync(join(directory.path, 'a'), 'utf8')).toBe('3');
  expect(readdirSync(directory.path).filter((name) => !name.startsWith('..'))).toEqual(['a']);
  expect(readdirSync(directory.path).length).toBe(3);
});

/** A client whose tokens are numbered and live an hour. */
function tokenClient(clock: FakeClock) {
  const requests: object[] = [];
  const createSubresource = async (_name: string, key: string, request: { spec: object }) => {
    requests.push({ key, ...request.spec });
    return {
      status: {
        token: `token-${requests.length}`,
        expirationTimestamp: new Date(clock.now() + 3_600_000).toISOString(),
      },
    };
  };
  return { requests, client: { resource: () => ({ createSubresource }) } as unknown as KubeClient };
}

const podWith = (volumes: Volume[]): Pod => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
  spec: {
    serviceAccountName: 'sa',
    volumes,
    containers: [{ name: 'main', volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) }],
  },
});

it('keeps service-account tokens fresh: bound to the pod, renewed when a fifth of their life is left', async () => {
  await using scratch = await temporaryDirectory();
  const clock = new FakeClock();
  const { client, requests } = tokenClient(clock);
  const volumes = new PodVolumes({ directory: scratch.path, client, clock });
  const pod = podWith([
    { name: 'access', projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'hub' } }] } },
  ]);
  const values = { secret: () => undefined, configMap: () => undefined };
  const token = () => readFileSync(join(scratch.path, 'volumes/access/token'), 'utf8');
  await volumes.sync(pod, { values, placement });
  expect(token()).toBe('token-1');
  expect(volumes.refreshAt).toBe(clock.now() + 2_880_000);
  await volumes.sync(pod, { values, placement });
  expect(token()).toBe('token-1');
  await clock.advance(2_880_000);
  await volumes.sync(pod, { values, placement });
  expect(token()).toBe('token-2');
  expect(requests[1]).toMatchObject({
    key: 'shop/sa',
    audiences: ['hub'],
    boundObjectRef: { kind: 'Pod', name: 'web', uid: 'u1' },
  });
});

it('follows a Secret, selects keys, and says which one is missing', async () => {
  await using scratch = await temporaryDirectory();
  let secret: Secret | undefined;
  const values = { secret: () => secret, configMap: () => undefined };
  const volumes = new PodVolumes({
    directory: scratch.path,
    client: tokenClient(new FakeClock()).client,
    clock: new FakeClock(),
  });
  const pod = podWith([
    { name: 'certs', secret: { secretName: 'tls', items: [{ key: 'tls.crt', path: 'server/cert.pem' }] } },
  ]);
  const sync = () => volumes.sync(pod, { values, placement });
  await expect(sync()).rejects.toThrow('MountVolume.SetUp failed for volume "certs" : secret "tls" not found');
  secret = { data: { 'tls.key': '' } };
  await expect(sync()).rejects.toThrow('references non-existent secret key: tls.crt');
  secret = { data: { 'tls.crt': Buffer.from('PEM').toString('base64') } };
  await sync();
  const path = join(scratch.path, 'volumes/certs');
  expect(readFileSync(join(path, 'server/cert.pem'), 'utf8')).toBe('PEM');
  expect(volumes.mountsOf(pod, pod.spec?.containers[0] ?? { name: '' }, {})).toEqual([
    { mountPath: '/certs', path, readOnly: true },
  ]);
});

it('makes the files of a projected volume of all its sources', async () => {
  await using scratch = await temporaryDirectory();
  const values = { secret: () => undefined, configMap: () => ({ data: { 'ca.crt': 'CA' } }) };
  const volumes = new PodVolumes({
    directory: scratch.path,
    client: tokenClient(new FakeClock()).client,
    clock: new FakeClock(),
  });
  const sources = [
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    { secret: { name: 'none', optional: true } },
  ];
  await volumes.sync(podWith([{ name: 'all', projected: { sources } }]), { values, placement });
  expect(readFileSync(join(scratch.path, 'volumes/all/ca.crt'), 'utf8')).toBe('CA');
  expect(readFileSync(join(scratch.path, 'volumes/all/namespace'), 'utf8')).toBe('shop');
});

it('refuses paths that lead out of the volume', async () => {
  await using scratch = await temporaryDirectory();
  const values = { secret: () => ({ data: { a: 'YQ==' } }), configMap: () => undefined };
  const volumes = new PodVolumes({
    directory: scratch.path,
    client: tokenClient(new FakeClock()).client,
    clock: new FakeClock(),
  });
  const pod = podWith([{ name: 'bad', secret: { secretName: 's', items: [{ key: 'a', path: '../../../escaped' }] } }]);
  await expect(volumes.sync(pod, { values, placement })).rejects.toThrow('is not a relative path');
  expect(existsSync(join(scratch.path, '../escaped'))).toBe(false);
});
