import type { Clock, KubeClient } from '@flotilla/kube';
import { customResourceDefinitions } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { EnvtestError } from '../errors.ts';
import { waitUntil } from '../wait.ts';

/** Applies CRDs and waits until the server serves every version of them. */
export async function installCrds(
  client: KubeClient,
  crds: readonly KubeObject[],
  options: { clock: Clock; timeoutMs: number },
): Promise<void> {
  const other = crds.find(({ kind }) => kind !== 'CustomResourceDefinition');
  if (other) {
    const what = `${other.kind ?? 'an object without kind'} ${other.metadata?.name ?? ''}`.trim();
    throw new EnvtestError('InvalidOption', `crds: ${what} is not a CustomResourceDefinition`);
  }
  // The server validates their shape: a test may install an invalid CRD on purpose.
  const definitions = client.resource<KubeObject>(customResourceDefinitions);
  await Promise.all(crds.map((crd) => definitions.apply(crd, { fieldManager: 'flotilla-envtest', force: true })));
  await whenCrdsServed(client, crds, options);
}

/** Resolves when the server serves every version of CRDs that are installed. */
export async function whenCrdsServed(
  client: KubeClient,
  crds: readonly KubeObject[],
  options: { clock: Clock; timeoutMs: number },
): Promise<void> {
  await Promise.all(crds.map(({ metadata }) => whenServed(client, metadata?.name ?? '', options)));
}

async function whenServed(
  client: KubeClient,
  name: string,
  options: { clock: Clock; timeoutMs: number },
): Promise<void> {
  const served = async (signal: AbortSignal): Promise<boolean> => {
    const { spec, status } = await client.resource(customResourceDefinitions).get(name, { signal });
    const condition = (type: string) => status?.conditions?.find((one) => one.type === type);
    const names = condition('NamesAccepted');
    if (names?.status === 'False') throw new Error(`its names are not accepted: ${names.message}`);
    if (condition('Established')?.status !== 'True') return false;
    // Established says that it will be served; a list shows that it is.
    for (const version of spec.versions.filter((one) => one.served)) {
      const path = `/apis/${spec.group}/${version.name}/${spec.names.plural}?limit=1`;
      await client.transport.request({ method: 'GET', path, signal });
    }
    return true;
  };
  await waitUntil(`CRD ${name} is served`, served, options);
}
