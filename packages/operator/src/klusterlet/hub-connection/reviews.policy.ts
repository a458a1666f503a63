import { ApiGroup, LeaseName } from '@flotilla/api-types';
import type { SelfSubjectAccessReview } from '@flotilla/kube/kinds';

/** What is asked about. */
export type Review = NonNullable<NonNullable<SelfSubjectAccessReview['spec']>['resourceAttributes']>;

interface Subject {
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly subresource?: string;
}

const each = (subject: Subject, ...verbs: readonly string[]): Review[] => verbs.map((verb) => ({ ...subject, verb }));

const requests = { group: ApiGroup.Certificates, resource: 'certificatesigningrequests' };
const clusters = { group: ApiGroup.Cluster, resource: 'managedclusters' };

/** What a bootstrap kubeconfig must permit: to ask for a cluster and a certificate. */
export const bootstrapReviews = (): Review[] => [
  ...each(clusters, 'create', 'get'),
  ...each(requests, 'create', 'get', 'list', 'watch'),
];

/** What the credentials of agents must permit. Over gRPC and AWS no certificates are asked for at the API server. */
export function agentReviews(cluster: string, { isCsr }: { readonly isCsr: boolean }): Review[] {
  const own = { ...clusters, name: cluster };
  const certificates = { group: ApiGroup.Register, resource: 'managedclusters', subresource: 'clientcertificates' };
  const lease = {
    group: ApiGroup.Coordination,
    resource: 'leases',
    name: LeaseName.ManagedCluster,
    namespace: cluster,
  };
  const works = { group: ApiGroup.Work, resource: 'manifestworks', namespace: cluster };
  const events = [ApiGroup.Core, ApiGroup.Events].map((group) => ({ group, resource: 'events', namespace: cluster }));
  return [
    ...(isCsr ? [...each(requests, 'get', 'list', 'watch'), ...each(certificates, 'renew')] : []),
    ...each(own, 'get', 'list', 'update', 'watch'),
    ...each({ ...own, subresource: 'status' }, 'patch', 'update'),
    ...each(lease, 'get', 'update'),
    ...events.flatMap((subject) => each(subject, 'create', 'patch', 'update')),
    ...each(works, 'get', 'list', 'watch', 'update'),
    ...each({ ...works, subresource: 'status' }, 'patch', 'update'),
  ];
}

/** A review in words: `update managedclusters/status of cluster.open-cluster-management.io`. */
export const describeReview = ({ verb, group, resource, subresource, namespace, name }: Review): string =>
  [
    verb,
    subresource ? `${resource}/${subresource}` : resource,
    ...(group ? [`of ${group}`] : []),
    ...(name ? [`named ${name}`] : []),
    ...(namespace ? [`in ${namespace}`] : []),
  ].join(' ');
