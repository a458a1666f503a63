import type { KubeClient } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { CliError } from '../errors/cli-error.ts';

/** Manifests without namespaces, for administrators who cannot create any: they must exist. */
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
