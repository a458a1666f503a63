import type { Node, Pod } from '@flotilla/kube/kinds';
import type { KubeletAddress } from '../contracts/kubelet.ts';
import type { Storage } from '../contracts/storage.ts';
import { badRequest, foreignStatus } from '../errors/api-errors.ts';

/** The container that is named, or the only one. */
export function containerOf({ metadata, spec }: Pod, wanted: string): string {
  const names = (list: readonly { name: string }[] | undefined): string[] => (list ?? []).map(({ name }) => name);
  const [main, init] = [names(spec?.containers), names(spec?.initContainers)];
  if (wanted !== '') {
    if ([...main, ...init].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${metadata?.name}`);
  }
  const [only, ...others] = main;
  if (only !== undefined && others.length === 0) return only;
  const choice = `choose one of: [${main.join(' ')}]${init.length > 0 ? ` or one of the init containers: [${init.join(' ')}]` : ''}`;
  throw badRequest(`a container name must be specified for pod ${metadata?.name}, ${choice}`);
}

/** Where the kubelet of a pod's node listens. */
export function kubeletOf(storage: Pick<Storage, 'get'>, { metadata, spec }: Pod): KubeletAddress {
  if (!spec?.nodeName) throw badRequest(`pod ${metadata?.name} does not have a host assigned`);
  const node: Node | undefined = storage.get('/nodes', spec.nodeName);
  // Its address is fictitious, and may be that of another machine.
  if (node?.status?.nodeInfo?.containerRuntimeVersion?.startsWith('simulated:')) {
    throw badRequest(`pod ${metadata?.name} is simulated by node ${spec.nodeName}: it has no logs, shells and ports`);
  }
  const host = node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const port = node?.status?.daemonEndpoints?.kubeletEndpoint?.Port;
  if (host === undefined || !port) throw internal(`no preferred addresses found; known addresses: []`);
  return { host, port };
}

/** An error of this server, in the words of kube-apiserver. */
export const internal = (message: string) =>
  foreignStatus({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason: 'InternalError', code: 500 });
