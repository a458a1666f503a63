import { after, type Controller, defineController, done, KubeError, on } from '@flotilla/kube';
import { type APIService, apiServices, type EndpointSlice, type Service } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { mergeMap } from 'rxjs';
import type { CustomResourceDefinition } from '../schema/custom.ts';
import { automanaged, localApiService } from '../system-objects/api-services.ts';
import type { ControllerContext } from './context.ts';
import type { ObjectChange } from './object-feed.ts';

const stored = 'apiregistration.k8s.io/apiservices';
const definitions = 'apiextensions.k8s.io/customresourcedefinitions';
const slices = 'discovery.k8s.io/endpointslices';
/** The aggregator is a part of the API server. */
const fieldManager = 'kube-apiserver';
const discoveryTimeoutMs = 6_000;
const checkEveryMs = 30_000;
const retryMs = 1_000;
const customPriority = { groupPriority: 1000, versionPriority: 100, automanaged: 'true' } as const;

/** An APIService for each version of a custom group, and for those of other servers why they are not available. */
export function apiServiceController(context: ControllerContext): Controller {
  const { client, storage, registry, feed, clock } = context;
  const handle = client.resource(apiServices);
  const all = (): readonly APIService[] => storage.list(stored);

  const concerned = ({ storage: kind, change }: ObjectChange): string[] => {
    if (kind === stored) return [change.key];
    if (kind === definitions) return [change.object, change.previous].flatMap(versionsOf);
    const service = kind === '/services' ? change.key : kind === slices ? serviceOf(change.object) : undefined;
    return service === undefined
      ? []
      : all().flatMap((one) => (targetOf(one) === service ? [one.metadata?.name ?? ''] : []));
  };

  return defineController({
    name: 'api-services',
    watches: [on(feed.pipe(mergeMap(concerned)))],
    async reconcile(name) {
      const present: APIService | undefined = storage.get(stored, name);
      const custom = registry
        .all()
        .find((info) => info.source === 'custom' && `${info.version}.${info.group}` === name);
      if (!present) {
        if (custom) await handle.create(localApiService(custom, customPriority), { fieldManager });
      } else if (present.spec?.service) {
        const condition = remoteCondition(context, present) ?? (await discoveryCondition(context, present));
        const again = after(condition.status === 'True' ? checkEveryMs : retryMs, 'the other API server is checked');
        const known = present.status?.conditions?.find(({ type }) => type === 'Available');
        if (known?.reason === condition.reason && known.message === condition.message) return again;
        const lastTransitionTime =
          known?.status === condition.status ? known.lastTransitionTime : formatTime(clock.now());
        await handle.status.replace(
          { ...present, status: { conditions: [{ ...condition, lastTransitionTime }] } },
          { fieldManager },
        );
        return again;
      } else if (!custom && present.metadata?.labels?.[automanaged] === 'true') await handle.delete(name);
      return done;
    },
  });
}

const versionsOf = (object: KubeObject | undefined): string[] => {
  const definition = object as CustomResourceDefinition | undefined;
  return (definition?.spec.versions ?? []).map(({ name }) => `${name}.${definition?.spec.group}`);
};

const serviceOf = ({ metadata }: KubeObject): string =>
  `${metadata?.namespace}/${metadata?.labels?.['kubernetes.io/service-name']}`;

const targetOf = ({ spec }: APIService): string | undefined =>
  spec?.service && `${spec.service.namespace}/${spec.service.name}`;

/** What is missing on the way to the other server, in the words of the real aggregator; undefined if nothing is. */
function remoteCondition({ storage }: ControllerContext, { spec }: APIService) {
  const { namespace = '', name = '', port = 443 } = spec?.service ?? {};
  const subject = `service/${name} in ${JSON.stringify(namespace)}`;
  const unavailable = (reason: string, message: string) => ({ type: 'Available', status: 'False', reason, message });
  const service: Service | undefined = storage.get('/services', `${namespace}/${name}`);
  if (!service) return unavailable('ServiceNotFound', `${subject} is not present`);
  const open = service.spec?.ports?.find((one) => one.port === port);
  if (service.spec?.type === 'ClusterIP') {
    if (!open) return unavailable('ServicePortError', `${subject} is not listening on port ${port}`);
    const inNamespace = storage.list(slices, namespace) as readonly EndpointSlice[];
    const found = inNamespace.filter((slice) => serviceOf(slice) === `${namespace}/${name}`);
    if (found.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${subject}`);
    const portName = open.name ?? '';
    const isReached = found.some(
      ({ endpoints, ports }) =>
        endpoints?.some(({ conditions }) => conditions?.ready !== false) &&
        ports?.some((one) => one.name === portName && one.port !== undefined),
    );
    if (!isReached) {
      const missing = `endpointslices for ${subject} have no addresses with port name ${JSON.stringify(portName)}`;
      return unavailable('MissingEndpoints', missing);
    }
  }
  return undefined;
}

/** Whether the other server answers what a client asks first. */
async function discoveryCondition({ client, clock }: ControllerContext, { spec }: APIService) {
  const path = `/apis/${spec?.group}/${spec?.version}`;
  const late = new AbortController();
  const cancel = clock.schedule(discoveryTimeoutMs, () => late.abort());
  try {
    await client.transport.request({ method: 'GET', path, signal: late.signal });
    return { type: 'Available', status: 'True', reason: 'Passed', message: 'all checks passed' };
  } catch (error) {
    const message = `failing or missing response from ${path}: ${KubeError.from(error).message}`;
    return { type: 'Available', status: 'False', reason: 'FailedDiscoveryCheck', message };
  } finally {
    cancel();
  }
}
