import type { EndpointSlice, Endpoints, Ingress, IngressClass, NetworkPolicy, Service } from '@flotilla/kube/kinds';
import { type RowPrinter, row } from '../cell.ts';
import { labelsText, selectorText } from '../label-text.ts';

/** The first three, and how many more. */
function firstThree(all: readonly string[]): string {
  const shown = all.slice(0, 3).join(',');
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

type LoadBalancer = NonNullable<Service['status']>['loadBalancer'];

const balancerAddresses = (balancer: LoadBalancer): string[] => {
  const addresses = (balancer?.ingress ?? []).map(({ ip, hostname }) => ip || (hostname ?? ''));
  return [...new Set(addresses.filter((address) => address !== ''))].sort();
};

function externalAddress({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer':
      return [...balancerAddresses(status?.loadBalancer), ...external].join(',') || '<pending>';
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

const portsText = ({ spec }: Service): string =>
  (spec?.ports ?? [])
    .map(({ port, nodePort, protocol = '' }) => (nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`))
    .join(',') || '<none>';

export const serviceRow: RowPrinter = row<Service>(
  (service) => [
    service.spec?.type ?? '',
    service.spec?.clusterIPs?.[0] ?? '<none>',
    externalAddress(service),
    portsText(service),
  ],
  ({ spec }) => [labelsText(spec?.selector)],
);

const joinHostPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

export const endpointsRow: RowPrinter = row<Endpoints>(({ subsets = [] }) => {
  if (subsets.length === 0) return ['<none>'];
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip) // A headless service may have no ports.
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => joinHostPort(ip, port))),
  );
  return [firstThree(all)];
});

export const endpointSliceRow: RowPrinter = row<EndpointSlice>(({ addressType, ports, endpoints }) => [
  addressType ?? '',
  firstThree((ports ?? []).map(({ port, name }) => String(port ?? name ?? '*'))) || '<unset>',
  firstThree((endpoints ?? []).flatMap(({ addresses }) => addresses)) || '<unset>',
]);

function hostsText({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const named = rules.flatMap(({ host }, at) => (host ? [{ host, at }] : []));
  if (named.length === 0) return '*';
  const shown = named
    .slice(0, 3)
    .map(({ host }) => host)
    .join(',');
  // More are announced when a rule follows that of the third host, whether or not it has a host.
  const third = named[2]?.at ?? rules.length;
  return third < rules.length - 1 ? `${shown} + ${rules.length - 3} more...` : shown;
}

export const ingressRow: RowPrinter = row<Ingress>((ingress) => [
  ingress.spec?.ingressClassName ?? '<none>',
  hostsText(ingress),
  balancerAddresses(ingress.status?.loadBalancer).join(','),
  (ingress.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
]);

export const ingressClassRow: RowPrinter = (object, ages) => {
  const { metadata, spec } = object as IngressClass;
  const isDefault = metadata?.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
  const { kind, apiGroup, name } = spec?.parameters ?? {};
  return [
    `${metadata?.name ?? ''}${isDefault ? ' (default)' : ''}`,
    spec?.controller ?? '',
    kind === undefined ? '<none>' : `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`,
    ages.since(metadata?.creationTimestamp),
  ];
};

export const networkPolicyRow: RowPrinter = row<NetworkPolicy>(({ spec }) => [
  selectorText(spec?.podSelector) || '<none>',
]);
