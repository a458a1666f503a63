import type { KubeObject } from '@flotilla/api-types';
import { type KubeClient, namespaces } from '@flotilla/kube';
import { CliError } from './errors.ts';

/** Manifests without namespaces, for administrators who may not make any: they must be there. */
export async function withoutNamespaces(client: KubeClient, manifests: readonly KubeObject[]): Promise<KubeObject[]> {
  const names = manifests.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata?.name ?? '');
  for (const name of names) {
    if (await client.resource(namespaces).find(name)) continue;
    throw new CliError(
      'precondition',
      `--create-namespace=false, and there is no namespace ${name}`,
      `Make it first: kubectl create namespace ${name}. Or leave the flag out.`,
    );
  }
  return manifests.filter(({ kind }) => kind !== 'Namespace');
}
