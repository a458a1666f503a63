import { isRecord, type JsonObject } from '@flotilla/schema';
import type { Storage } from '../contracts/storage.ts';
import type { AnyObject } from './prepare.ts';

const services = '/services';
/** 10.96.0.0/16, as clusters are commonly set up; the lowest addresses are left for those who choose their own. */
const addressPrefix = '10.96';
const firstHost = 256;
const lastHost = 256 * 256 - 2;
const firstNodePort = 30000;
const lastNodePort = 32767;

const fieldsOf = (value: unknown): JsonObject => (isRecord(value) ? (value as JsonObject) : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A new service with addresses and ports of its own, where it asks for any. Nothing answers there: nothing runs behind it. */
export function withAddresses(storage: Storage, service: AnyObject): AnyObject {
  const spec = fieldsOf(service.spec);
  const type = spec.type ?? 'ClusterIP';
  if (type === 'ExternalName') {
    return spec.clusterIP ? { ...service, spec: { ...spec, clusterIPs: [spec.clusterIP] } } : service;
  }
  const others = storage.list(services).map((other) => fieldsOf((other as AnyObject).spec));
  const [given] = listOf(spec.clusterIPs);
  const clusterIP = spec.clusterIP || (typeof given === 'string' ? given : freeAddress(others));
  const headless = clusterIP === 'None';
  // A headless service without a selector may stand for endpoints of any family.
  const families = headless && Object.keys(fieldsOf(spec.selector)).length === 0 ? ['IPv4', 'IPv6'] : ['IPv4'];
  const wantsNodePorts =
    type === 'NodePort' || (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
  return {
    ...service,
    spec: {
      ...spec,
      clusterIP,
      clusterIPs: spec.clusterIPs ?? [clusterIP],
      ipFamilies: spec.ipFamilies ?? families,
      ipFamilyPolicy: spec.ipFamilyPolicy ?? (families.length > 1 ? 'RequireDualStack' : 'SingleStack'),
      ...(wantsNodePorts && { ports: withNodePorts(listOf(spec.ports), others) }),
    },
  };
}

function freeAddress(others: readonly JsonObject[]): string {
  const taken = new Set(others.map(({ clusterIP }) => clusterIP));
  for (let host = firstHost; host <= lastHost; host++) {
    const address = `${addressPrefix}.${host >> 8}.${host & 255}`;
    if (!taken.has(address)) return address;
  }
  return '';
}

function withNodePorts(ports: readonly unknown[], others: readonly JsonObject[]): JsonObject[] {
  const taken = new Set(
    [...others.flatMap((spec) => listOf(spec.ports)), ...ports].map((port) => fieldsOf(port).nodePort),
  );
  let next = firstNodePort;
  return ports.map((port) => {
    const fields = fieldsOf(port);
    if (fields.nodePort) return fields;
    while (taken.has(next) && next < lastNodePort) next++;
    taken.add(next);
    return { ...fields, nodePort: next };
  });
}

/** An update that does not speak of addresses keeps them, unless the service no longer wants any. */
export function keepAddresses(next: AnyObject, old: AnyObject): AnyObject {
  const spec = fieldsOf(next.spec);
  const before = fieldsOf(old.spec);
  const kept: JsonObject = { ...spec };
  if (spec.type === 'ExternalName') {
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
      if (JSON.stringify(spec[name]) === JSON.stringify(before[name])) delete kept[name];
    }
  } else {
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
      if (!spec[name] && before[name]) kept[name] = before[name];
    }
  }
  return { ...next, spec: kept, ...(old.status !== undefined && { status: old.status }) };
}
