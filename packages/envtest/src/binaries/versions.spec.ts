import { expect, test } from 'vitest';
import { linkerFlags } from './kubernetes-programs.ts';
import { parseVersions, pinnedVersions } from './versions.ts';

test('the versions are those that go.mod requires, in a block or on a line', () => {
  const goMod = [
    'module x',
    'tool (',
    '\tgo.etcd.io/etcd/server/v3',
    ')',
    'require k8s.io/kubernetes v1.36.3 // indirect',
    'require (',
    '\tgo.etcd.io/etcd/server/v3 v3.6.8 // indirect',
    ')',
    'replace k8s.io/api => k8s.io/api v0.36.3',
  ].join('\n');
  expect(parseVersions(goMod)).toEqual({ kubernetes: 'v1.36.3', etcd: 'v3.6.8' });
});

test('a go.mod without Kubernetes is refused', () => {
  expect(() => parseVersions('module x')).toThrow('go.mod requires no version of k8s.io/kubernetes');
});

test('the go.mod of this package pins Kubernetes and etcd', async () => {
  const { kubernetes, etcd } = await pinnedVersions();
  expect([kubernetes, etcd]).toEqual([
    expect.stringMatching(/^v1\.\d+\.\d+$/),
    expect.stringMatching(/^v3\.\d+\.\d+$/),
  ]);
});

test('the binaries are stamped with the version and its parts', () => {
  const flags = linkerFlags('v1.36.3');
  for (const stamp of ['gitVersion=v1.36.3', 'gitMajor=1', 'gitMinor=36', 'gitTreeState=clean']) {
    expect(flags).toContain(`-X k8s.io/component-base/version.${stamp}`);
  }
  expect(() => linkerFlags('main')).toThrow('main is not a version of Kubernetes');
});
