import { type CachedResource, type Controller, defineController, done, on, ownerReferenceTo } from '@flotilla/kube';
import {
  type EndpointSlice,
  type Endpoints,
  endpointSlices,
  endpoints,
  type Pod,
  type Service,
  services,
} from '@flotilla/kube/kinds';
import { matchesLabels, semanticEqual } from '@flotilla/kube/meta';
import type { WorkloadContext } from '../context.ts';
import { templateHash } from '../template-hash.ts';
import { type SliceContent, slicesOf } from './endpoints.policy.ts';

const serviceLabel = 'kubernetes.io/service-name';
const managerLabel = 'endpointslice.kubernetes.io/managed-by';
const manager = 'endpointslice-controller.k8s.io';

/** Keeps the EndpointSlices and the Endpoints of each Service with a selector. */
export function endpointsController({ informers, pods }: WorkloadContext): Controller {
  const all = informers.resource(services);
  const slices = informers.resource(endpointSlices);
  const legacy = informers.resource(endpoints);
  const selecting = (pod: Pod) =>
    all
      .list()
      .filter((service) => selects(service, pod))
      .map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
  return defineController({
    name: 'endpoints',
    watches: [on(all), on(pods, selecting), on(slices, serviceOf)],
    reads: [legacy],
    async reconcile(key) {
      const service = all.get(key);
      if (!service?.spec?.selector || service.metadata?.deletionTimestamp) return done;
      const content = slicesOf(
        service,
        pods.list().filter((pod) => selects(service, pod)),
      );
      await writeSlices(slices, service, content);
      await writeLegacy(legacy, service, content);
      return done;
    },
  });
}

function selects({ metadata, spec }: Service, pod: Pod): boolean {
  if (!spec?.selector || metadata?.namespace !== pod.metadata?.namespace) return false;
  return matchesLabels({ matchLabels: spec.selector }, pod.metadata?.labels ?? {});
}

const serviceOf = ({ metadata }: EndpointSlice): string | undefined =>
  metadata?.labels?.[managerLabel] === manager ? `${metadata.namespace}/${metadata.labels[serviceLabel]}` : undefined;

/** One slice for each set of ports, named by it; those that are no longer wanted go. */
async function writeSlices(
  slices: CachedResource<EndpointSlice>,
  service: Service,
  content: readonly SliceContent[],
): Promise<void> {
  const { namespace = '', name = '' } = service.metadata ?? {};
  const present = slices.list().filter((slice) => serviceOf(slice) === `${namespace}/${name}`);
  const wanted = new Map(
    (content.length > 0 ? content : [{ ports: [], endpoints: [] }]).map((one) => [
      `${name}-${templateHash(one.ports).slice(0, 5)}`,
      one,
    ]),
  );
  for (const [sliceName, { ports, endpoints: members }] of wanted) {
    const found = present.find(({ metadata }) => metadata?.name === sliceName);
    if (found && semanticEqual(found.endpoints, members) && semanticEqual(found.ports, ports)) continue;
    const slice: EndpointSlice = {
      ...found,
      metadata: found?.metadata ?? {
        namespace,
        name: sliceName,
        labels: { ...service.metadata?.labels, [serviceLabel]: name, [managerLabel]: manager },
        ownerReferences: [ownerReferenceTo(services, service, { controller: true, blockOwnerDeletion: true })],
      },
      addressType: 'IPv4',
      endpoints: members,
      ...(ports && { ports }),
    };
    if (found) await slices.replace(slice);
    else await slices.create(slice);
  }
  for (const { metadata } of present) {
    if (!wanted.has(metadata?.name ?? '')) await slices.delete(`${namespace}/${metadata?.name}`);
  }
}

/** The older kind, for those who still read it. */
async function writeLegacy(
  legacy: CachedResource<Endpoints>,
  { metadata }: Service,
  content: readonly SliceContent[],
): Promise<void> {
  const { namespace = '', name = '' } = metadata ?? {};
  const addressesOf = (one: SliceContent, ready: boolean) =>
    (one.endpoints ?? [])
      .filter(({ conditions }) => (conditions?.ready ?? true) === ready)
      .map(({ addresses, targetRef, nodeName }) => ({
        ip: addresses[0] ?? '',
        ...(nodeName !== undefined && { nodeName }),
        ...(targetRef && { targetRef }),
      }));
  const subsets = content.map((one) => {
    const [addresses, notReadyAddresses] = [addressesOf(one, true), addressesOf(one, false)];
    const ports = (one.ports ?? []).map(({ name: portName, port = 0, protocol }) => ({
      ...(portName && { name: portName }),
      port,
      ...(protocol !== undefined && { protocol }),
    }));
    return {
      ...(addresses.length > 0 && { addresses }),
      ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
      ...(ports.length > 0 && { ports }),
    };
  });
  const found = legacy.get(`${namespace}/${name}`);
  if (found && semanticEqual(found.subsets ?? [], subsets)) return;
  if (found) await legacy.replace({ ...found, subsets });
  else
    await legacy.create({
      metadata: { namespace, name, ...(metadata?.labels && { labels: metadata.labels }) },
      subsets,
    });
}
