import { isIP } from 'node:net';
import type { Field } from '../../field.ts';
import { validateLabels } from '../../metadata.ts';
import { dnsLabel, dnsSubdomain, isPortNumber, portName, portNumberSentence, qualifiedName } from '../../names.ts';
import { cidrSentence, ipSentence, isCidr } from './addresses.ts';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];

export function validateService(service: Field, old?: Field): void {
  const spec = service.at('spec');
  const type = spec.at('type').text;
  const headless = spec.at('clusterIP').text === 'None';
  if (old) validateAddressKept(spec, old.at('spec'));
  const ports = spec.at('ports');
  if (ports.list.length === 0 && !headless && type !== 'ExternalName') ports.required();
  if (headless && (type === 'LoadBalancer' || type === 'NodePort')) {
    spec.at('clusterIPs').items()[0]?.invalid(`may not be set to 'None' for ${type} services`);
  }
  if (type === 'ExternalName') validateExternalName(spec);
  validatePorts(ports, type);
  if (spec.at('selector').present) validateLabels(spec.at('selector'));
  const affinity = spec.at('sessionAffinity');
  if (affinity.text !== 'None' && affinity.text !== 'ClientIP') affinity.notSupported(['ClientIP', 'None']);
  const timeout = spec.at('sessionAffinityConfig').at('clientIP').at('timeoutSeconds');
  if (affinity.text === 'ClientIP' && (timeout.number <= 0 || timeout.number > 86400)) {
    timeout.invalid('must be greater than 0 and less than 86400');
  }
  const address = spec.at('clusterIP');
  if (address.text !== '' && !headless && isIP(address.text) === 0) {
    spec.at('clusterIPs').items()[0]?.invalid(ipSentence);
  }
  spec.at('type').oneOf(types);
  const ranges = spec.at('loadBalancerSourceRanges').under('spec.LoadBalancerSourceRanges');
  if (ranges.list.length > 0) {
    if (type !== 'LoadBalancer') ranges.forbidden("may only be used when `type` is 'LoadBalancer'");
    for (const range of ranges.items()) if (!isCidr(range.text)) range.invalid(cidrSentence);
  }
  if (spec.at('allocateLoadBalancerNodePorts').present && type !== 'LoadBalancer') {
    spec.at('allocateLoadBalancerNodePorts').forbidden("may only be used when `type` is 'LoadBalancer'");
  }
  const external = spec.at('externalTrafficPolicy');
  const reachable =
    type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && spec.at('externalIPs').list.length > 0);
  if (external.present && !reachable) external.invalid('may only be set for externally-accessible services');
  else if (external.present && external.text !== 'Cluster' && external.text !== 'Local') {
    external.notSupported(['Cluster', 'Local']);
  }
  const internal = spec.at('internalTrafficPolicy');
  if (internal.present && internal.text !== 'Cluster' && internal.text !== 'Local') {
    internal.notSupported(['Cluster', 'Local']);
  }
}

/** An address stays, unless the service gets or loses the need for one. */
function validateAddressKept(spec: Field, old: Field): void {
  const before = old.at('clusterIP').text;
  const address = spec.at('clusterIP');
  if (before === '' || address.text === before) return;
  if ([spec, old].some((one) => one.at('type').text === 'ExternalName')) return;
  spec.at('clusterIPs').items()[0]?.invalid('may not change once set', spec.at('clusterIPs').value);
}

function validateExternalName(spec: Field): void {
  for (const name of ['clusterIPs', 'ipFamilies']) {
    if (spec.at(name).list.length > 0) spec.at(name).forbidden('may not be set for ExternalName services');
  }
  if (spec.at('ipFamilyPolicy').present)
    spec.at('ipFamilyPolicy').forbidden('may not be set for ExternalName services');
  const name = spec.at('externalName');
  if (name.text === '') name.required();
  else for (const error of dnsSubdomain(name.text.replace(/\.$/, ''))) name.invalid(error);
}

function validatePorts(ports: Field, type: string): void {
  const names = new Set<string>();
  const seen = new Set<string>();
  for (const port of ports.items()) {
    const name = port.at('name');
    if (name.text === '') {
      if (ports.list.length > 1) name.required();
    } else {
      name.check(dnsLabel);
      if (names.has(name.text)) name.duplicate();
      names.add(name.text);
    }
    const number = port.at('port');
    if (!isPortNumber(number.number)) number.invalid(portNumberSentence, number.number);
    port.at('protocol').oneOf(protocols);
    const target = port.at('targetPort');
    if (typeof target.value === 'string') target.check(portName);
    else if (!isPortNumber(target.number)) target.invalid(portNumberSentence, target.number);
    if (port.at('appProtocol').present) port.at('appProtocol').check(qualifiedName);
    if (type === 'ClusterIP' && port.at('nodePort').number !== 0) {
      port.at('nodePort').forbidden("may not be used when `type` is 'ClusterIP'");
    }
    const identity = `${port.at('protocol').text}/${number.number}`;
    if (seen.has(identity)) {
      // As the server shows it: by the names of its Go fields, with what does not count left empty.
      const protocol = port.at('protocol').text;
      port.duplicate({
        Name: '',
        Protocol: protocol,
        AppProtocol: null,
        Port: number.number,
        TargetPort: 0,
        NodePort: 0,
      });
    }
    seen.add(identity);
  }
}
