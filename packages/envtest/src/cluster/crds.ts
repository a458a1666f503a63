import type { Condition, KubeObject } from '@flotilla/api-types';
import type { Clock } from '@flotilla/kube';
import { type Api, apply } from '../access/api.ts';
import { EnvtestError } from '../errors.ts';
import { waitUntil } from './wait.ts';

interface CustomResourceDefinition extends KubeObject {
  spec?: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
  status?: { conditions?: Condition[] };
}

const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Applies CRDs and waits until the server serves every version of them. */
export async function installCrds(
  api: Api,
  crds: readonly KubeObject[],
  options: { clock: Clock; timeoutMs: number },
): Promise<void> {
  const stranger = crds.find(({ kind }) => kind !== 'CustomResourceDefinition');
  if (stranger) {
    const what = `${stranger.kind ?? 'an object without kind'} ${stranger.metadata?.name ?? ''}`.trim();
    throw new EnvtestError('InvalidOption', `crds: ${what} is not a CustomResourceDefinition`);
  }
  await Promise.all(crds.map((crd) => apply(api, crdPath, crd)));
  await Promise.all(crds.map((crd) => whenServed(api, crd, options)));
}

async function whenServed(api: Api, crd: KubeObject, options: { clock: Clock; timeoutMs: number }): Promise<void> {
  const name = crd.metadata?.name;
  const read = async (path: string, signal: AbortSignal) =>
    JSON.parse((await api.request({ method: 'GET', path, signal })).body);
  const served = async (signal: AbortSignal): Promise<boolean> => {
    const { spec, status }: CustomResourceDefinition = await read(`${crdPath}/${name}`, signal);
    const refused = status?.conditions?.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
    if (refused) throw new Error(`its names are not accepted: ${refused.message}`);
    const established = status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
    if (!spec || !established) return false;
    // Established says that it will be served; a list shows that it is.
    for (const version of spec.versions.filter((one) => one.served)) {
      await read(`/apis/${spec.group}/${version.name}/${spec.names.plural}?limit=1`, signal);
    }
    return true;
  };
  await waitUntil(`CRD ${name} is served`, served, options);
}
