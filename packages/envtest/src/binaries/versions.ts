import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EnvtestError } from '../errors.ts';

/** Versions as Go writes them, with a leading `v`. */
export interface KubernetesVersions {
  kubernetes: string;
  etcd: string;
}

/** Where the go.mod lies that pins what is compiled: the only place that knows the versions. */
export const moduleDirectory = (): string => fileURLToPath(new URL('../../kubernetes/', import.meta.url));

/** Reads the versions out of the text of a go.mod. */
export function parseVersions(goMod: string): KubernetesVersions {
  const required = (module: string): string => {
    const version = goMod
      .split('\n')
      .map((line) => line.trim().replace(/^require /, ''))
      .find((line) => line.startsWith(`${module} v`))
      ?.split(/\s+/)[1];
    if (!version) throw new EnvtestError('InvalidOption', `go.mod requires no version of ${module}`);
    return version;
  };
  return { kubernetes: required('k8s.io/kubernetes'), etcd: required('go.etcd.io/etcd/server/v3') };
}

/** The versions that this package runs. */
export async function pinnedVersions(): Promise<KubernetesVersions> {
  return parseVersions(await readFile(`${moduleDirectory()}/go.mod`, 'utf8'));
}
