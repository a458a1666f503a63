import type { PersistentVolumeClaim, Pod, Service } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { parseQuantity } from '@flotilla/schema';
import type { ResourceInfo } from '../contracts/resource-info.ts';
import type { Amounts } from './amounts.ts';
import { podUsage } from './pod-usage.ts';

type Counted = Pick<ResourceInfo, 'group' | 'plural' | 'storage'>;

/** `count/deployments.apps`: the name by which objects of any kind can be counted. */
const countName = ({ group, plural }: Counted): string =>
  group === '' ? `count/${plural}` : `count/${plural}.${group}`;

/** Kinds of the core group that had a name of their own before all kinds could be counted. */
const shortNames = new Set([
  '/configmaps',
  '/persistentvolumeclaims',
  '/replicationcontrollers',
  '/resourcequotas',
  '/secrets',
  '/services',
]);

/** Events come and go by themselves. */
export const isCounted = ({ storage, verbs, namespaced }: ResourceInfo): boolean =>
  namespaced && storage !== '/events' && verbs.includes('list');

/** What one object uses of a quota. */
export function usageOf(info: Counted, object: KubeObject, now: number): Amounts {
  if (info.storage === '/pods') return podUsage(object as Pod, now);
  const counted: Amounts = { [countName(info)]: '1', ...(shortNames.has(info.storage) && { [info.plural]: '1' }) };
  if (info.storage === '/services') return { ...counted, ...serviceUsage(object) };
  if (info.storage === '/persistentvolumeclaims') return { ...counted, ...claimUsage(object) };
  return counted;
}

function serviceUsage({ spec }: Service): Amounts {
  const ports = spec?.ports ?? [];
  const given = ports.filter(({ nodePort }) => nodePort !== undefined && nodePort !== 0);
  const isBalanced = spec?.type === 'LoadBalancer';
  const nodePorts =
    spec?.type === 'NodePort' || (isBalanced && spec.allocateLoadBalancerNodePorts !== false)
      ? ports.length
      : isBalanced
        ? given.length
        : 0;
  return { 'services.nodeports': String(nodePorts), 'services.loadbalancers': isBalanced ? '1' : '0' };
}

const byClass = '.storageclass.storage.k8s.io/';

function claimUsage({ metadata, spec }: PersistentVolumeClaim): Amounts {
  const storageClass =
    metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
  const storage = spec?.resources?.requests?.storage;
  const usage: Amounts = {
    persistentvolumeclaims: '1',
    ...(storage !== undefined && { 'requests.storage': roundedUp(storage) }),
  };
  if (storageClass === '') return usage;
  const ofClass = Object.entries(usage).map(([name, amount]) => [`${storageClass}${byClass}${name}`, amount]);
  return { ...usage, ...Object.fromEntries(ofClass) };
}

/** Storage is counted in whole bytes. */
function roundedUp(quantity: string): string {
  const nanos = parseQuantity(quantity).value?.nanos ?? 0n;
  return nanos % 1_000_000_000n === 0n ? quantity : String(nanos / 1_000_000_000n + 1n);
}

const podNames = /^(pods|count\/pods|((requests|limits)\.)?(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.*)$/;
const isExtended = (name: string): boolean =>
  name.startsWith('requests.') && name.includes('/') && !name.includes('kubernetes.io/');

/** The names of a quota that objects of a kind can use, also if none does. */
export function namesFor(info: Counted, names: readonly string[]): string[] {
  if (info.storage === '/pods') return names.filter((name) => podNames.test(name) || isExtended(name));
  const own = new Set([countName(info), ...(shortNames.has(info.storage) ? [info.plural] : [])]);
  if (info.storage === '/services') own.add('services.nodeports').add('services.loadbalancers');
  if (info.storage !== '/persistentvolumeclaims') return names.filter((name) => own.has(name));
  own.add('requests.storage');
  return names.filter(
    (name) =>
      own.has(name) ||
      ['persistentvolumeclaims', 'requests.storage'].some((suffix) => name.endsWith(`${byClass}${suffix}`)),
  );
}
