import { Annotation, Label, type ManifestWork, ManifestWorkCondition, manifestWorks } from '@flotilla/api-types';
import { type CachedResource, findCondition, type Informers, joinKey } from '@flotilla/kube';

/** The works of add-ons. */
export interface AddOnWorks {
  readonly cache: CachedResource<ManifestWork>;
  /** Works that deploy an add-on on its own cluster; those that run before its removal are not among them. */
  of(addOn: string): ManifestWork[];
  /** Works that deploy it on another cluster. */
  hostedOn(hostingCluster: string, addOn: string): ManifestWork[];
}

const byAddOn = 'addon-manager.addon';
const byHostedAddOn = 'addon-manager.hosted-addon';

const labelsOf = ({ metadata }: ManifestWork) => ({
  addOn: metadata?.labels?.[Label.AddOnName] ?? '',
  namespace: metadata?.labels?.[Label.AddOnNamespace],
});

const isHook = (work: ManifestWork): boolean =>
  work.metadata?.name?.startsWith(`addon-${labelsOf(work).addOn}-pre-delete`) ?? false;

/** `namespace/name` of the add-on that a work deploys. */
export function addOnOfWork(work: ManifestWork): string | undefined {
  const { addOn, namespace = work.metadata?.namespace } = labelsOf(work);
  return addOn === '' || isHook(work) ? undefined : joinKey(namespace, addOn);
}

/** A work without its manifests: for thousands of add-ons only what is compared is kept. */
function progressOf({ apiVersion, kind, metadata, status }: ManifestWork): ManifestWork {
  const { name, namespace, uid, resourceVersion, generation, deletionTimestamp, labels, annotations } = metadata ?? {};
  const hash = annotations?.[Annotation.ConfigSpecHash];
  const conditions = [ManifestWorkCondition.Applied, ManifestWorkCondition.Available].flatMap(
    (type) => findCondition(status?.conditions, type) ?? [],
  );
  return {
    ...(apiVersion && { apiVersion }),
    ...(kind && { kind }),
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      generation,
      ...(deletionTimestamp && { deletionTimestamp }),
      labels,
      ...(hash !== undefined && { annotations: { [Annotation.ConfigSpecHash]: hash } }),
    },
    spec: {},
    status: { conditions },
  };
}

const listOf = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value]);

/** Watches the works of add-ons. */
export function addOnWorks(informers: Informers): AddOnWorks {
  const cache = informers.resource(manifestWorks, {
    labelSelector: Label.AddOnName,
    transform: progressOf,
    indexes: {
      [byAddOn]: (work) => (labelsOf(work).namespace === undefined ? listOf(addOnOfWork(work)) : []),
      [byHostedAddOn]: (work) => (labelsOf(work).namespace === undefined ? [] : listOf(addOnOfWork(work))),
    },
  });
  return {
    cache,
    of: (addOn) => cache.byIndex(byAddOn, addOn),
    hostedOn: (hostingCluster, addOn) =>
      cache.byIndex(byHostedAddOn, addOn).filter(({ metadata }) => metadata?.namespace === hostingCluster),
  };
}
