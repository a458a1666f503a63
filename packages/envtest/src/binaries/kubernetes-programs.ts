import { EnvtestError } from '../errors.ts';
import { binaryPackages } from './binaries.ts';
import type { GoPrograms } from './go-build.ts';
import { threeWays } from './three-ways.ts';
import { type KubernetesVersions, moduleDirectory } from './versions.ts';

/** The control plane of Kubernetes with etcd and kubectl, as Go compiles it. */
export const kubernetesPrograms = (versions: KubernetesVersions): GoPrograms => ({
  moduleDirectory: moduleDirectory(),
  packages: binaryPackages,
  linkerFlags: linkerFlags(versions.kubernetes),
  announcement: `compiling Kubernetes ${versions.kubernetes} and etcd ${versions.etcd}; the first time this takes about 8 minutes on 2 cores`,
  withoutGo: (why) => threeWays(versions, why),
});

/** Without these the binaries would call themselves v0.0.0-master, and clients would refuse them as too old. */
export function linkerFlags(version: string): string {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version) ?? [];
  if (!major || !minor) throw new EnvtestError('InvalidOption', `${version} is not a version of Kubernetes`);
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const stamped = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((variables) =>
    Object.entries(stamps).map(([name, value]) => `-X ${variables}.${name}=${value}`),
  );
  return ['-s', '-w', ...stamped].join(' ');
}
