import { binaryNames } from './binaries.ts';
import type { KubernetesVersions } from './versions.ts';

/** The hint when there are no binaries and no way to make them. */
export const threeWays = (versions: KubernetesVersions, why: string): string =>
  `there are no binaries of Kubernetes ${versions.kubernetes} in the cache, and they cannot be compiled: ${why}. Three ways to get them:
  1. set KUBEBUILDER_ASSETS to a directory that has ${binaryNames.join(', ')}
  2. install the Go that packages/envtest/kubernetes/go.mod asks for (https://go.dev/dl): they are compiled once, then cached
  3. flotilla-envtest binaries --source download (needs the internet: dl.k8s.io and github.com)`;
