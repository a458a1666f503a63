import { join } from 'node:path';

/** Names of the files, and the Go packages they are compiled from, in the order in which they are made. */
export const binaryPackages = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
} as const;

/** One of the four files. */
export type BinaryName = keyof typeof binaryPackages;

/** All four. */
export const binaryNames: readonly BinaryName[] = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];

/** How binaries came to be. */
export type BinaryOrigin = 'assets' | 'build' | 'download';

/** A directory that has all four. */
export interface Binaries {
  readonly directory: string;
  readonly origin: BinaryOrigin;
  path(name: BinaryName): string;
}

/** The binaries in a directory that was found complete. */
export const binariesIn = ({ directory, origin }: Pick<Binaries, 'directory' | 'origin'>): Binaries => ({
  directory,
  origin,
  path: (name) => join(directory, name),
});
