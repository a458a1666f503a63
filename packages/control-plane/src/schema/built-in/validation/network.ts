import { isIP } from 'node:net';
import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { dnsLabel, dnsSubdomain, isPortNumber, portName, portNumberSentence, wildcardSubdomain } from '../../names.ts';
import { cidrSentence, ipSentence, isCidr } from './addresses.ts';

export function validateIngress(ingress: Field): void {
  const spec = ingress.at('spec');
  const rules = spec.at('rules');
  const fallback = spec.at('defaultBackend');
  if (rules.list.length === 0 && !fallback.present) {
    spec.invalid('either `defaultBackend` or `rules` must be specified', rules.value ?? null);
  }
  if (fallback.present) validateBackend(fallback);
  for (const rule of rules.items()) {
    const host = rule.at('host');
    if (isIP(host.text) !== 0) host.invalid('must be a DNS name, not an IP address');
    if (host.text !== '') host.check(host.text.includes('*') ? wildcardSubdomain : dnsSubdomain);
    const http = rule.at('http');
    if (!http.present) continue;
    if (http.at('paths').list.length === 0) http.at('paths').required();
    for (const path of http.at('paths').items()) validatePath(path);
  }
  for (const tls of spec.at('tls').items()) {
    for (const host of tls.at('hosts').items()) host.check(host.text.includes('*') ? wildcardSubdomain : dnsSubdomain);
    if (tls.at('secretName').text !== '') tls.at('secretName').check(dnsSubdomain);
  }
  if (spec.at('ingressClassName').present) spec.at('ingressClassName').check(dnsSubdomain);
}

function validatePath(field: Field): void {
  const type = field.at('pathType');
  const path = field.at('path');
  if (!type.present) {
    type.required('pathType must be specified');
    return;
  }
  if (type.text === 'Exact' || type.text === 'Prefix') {
    if (!path.text.startsWith('/')) path.invalid('must be an absolute path', path.text);
    for (const part of ['//', '/./', '/../', '%2f', '%2F']) {
      if (path.text.includes(part)) path.invalid(`must not contain '${part}'`);
    }
    for (const end of ['/..', '/.']) if (path.text.endsWith(end)) path.invalid(`cannot end with '${end}'`);
  } else if (type.text === 'ImplementationSpecific') {
    if (path.text !== '' && !path.text.startsWith('/')) path.invalid('must be an absolute path');
  } else type.notSupported(['Exact', 'ImplementationSpecific', 'Prefix']);
  validateBackend(field.at('backend'));
}

function validateBackend(backend: Field): void {
  const service = backend.at('service');
  const resource = backend.at('resource');
  if (service.present && resource.present) {
    backend.invalid('cannot set both resource and service backends', '');
  } else if (resource.present) {
    for (const name of ['kind', 'name']) if (resource.at(name).text === '') resource.at(name).required();
  } else if (service.present) {
    if (service.at('name').text === '') service.at('name').required();
    else service.at('name').check(dnsLabel);
    const name = service.at('port').at('name');
    const number = service.at('port').at('number');
    if (name.text !== '' && number.number !== 0) backend.invalid('cannot set both port name & port number', '');
    else if (name.text !== '') name.check(portName);
    else if (number.number === 0) backend.required('port name or number is required');
    else if (!isPortNumber(number.number)) number.invalid(portNumberSentence);
  } else backend.invalid('resource or service backend is required', '');
}

export function validateIngressClass(ingressClass: Field, old?: Field): void {
  const spec = ingressClass.at('spec');
  const controller = spec.at('controller');
  if (controller.text.length > 250) controller.tooLong(250);
  if (controller.text === '') controller.required();
  else if (!/^[^/]+\/.+$/.test(controller.text)) {
    controller.invalid('must be a domain-prefixed path (such as "acme.io/foo")');
  }
  if (old) controller.immutable(old.at('spec').at('controller'));
}

export function validateNetworkPolicy(policy: Field): void {
  const spec = policy.at('spec');
  validateLabelSelector(spec.at('podSelector'));
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const rule of spec.at(direction).items()) {
      for (const port of rule.at('ports').items()) validatePolicyPort(port);
      for (const peer of rule.at(peers).items()) validatePeer(peer);
    }
  }
  const types = spec.at('policyTypes');
  if (types.list.length > 2) {
    types.invalid('may not specify more than two policyTypes');
    return;
  }
  for (const type of types.items()) {
    if (type.text !== 'Ingress' && type.text !== 'Egress') type.notSupported(['Ingress', 'Egress']);
  }
}

function validatePolicyPort(port: Field): void {
  const protocol = port.at('protocol');
  if (protocol.present && !['TCP', 'UDP', 'SCTP'].includes(protocol.text))
    protocol.notSupported(['TCP', 'UDP', 'SCTP']);
  const number = port.at('port');
  const end = port.at('endPort');
  if (!number.present) {
    if (end.present) end.invalid('may not be specified when `port` is not specified');
  } else if (typeof number.value === 'string') {
    if (end.present) end.invalid('may not be specified when `port` is non-numeric');
    number.check(portName);
  } else {
    if (!isPortNumber(number.number)) number.invalid(portNumberSentence);
    if (end.present && end.number < number.number) {
      end.invalid('must be greater than or equal to `port`', number.number);
    }
    if (end.present && !isPortNumber(end.number)) end.invalid(portNumberSentence);
  }
}

function validatePeer(peer: Field): void {
  const given = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((name) => peer.at(name).present);
  validateLabelSelector(peer.at('podSelector'));
  validateLabelSelector(peer.at('namespaceSelector'));
  const block = peer.at('ipBlock');
  if (block.present) {
    const cidr = block.at('cidr');
    if (cidr.text === '') cidr.required();
    else if (!isCidr(cidr.text)) cidr.invalid(cidrSentence);
  }
  if (given.length === 0) peer.required('must specify a peer');
  else if (given.length > 1 && block.present) peer.forbidden('may not specify both ipBlock and another peer');
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];

export function validateEndpointSlice(slice: Field, old?: Field): void {
  const type = slice.at('addressType');
  type.oneOf(addressTypes);
  if (old) type.immutable(old.at('addressType'));
  const endpoints = slice.at('endpoints');
  if (endpoints.list.length > 1000) endpoints.tooMany(1000);
  for (const endpoint of endpoints.items()) {
    const addresses = endpoint.at('addresses');
    if (addresses.list.length === 0) addresses.required('must contain at least 1 address');
    for (const address of addresses.items()) {
      if (type.text === 'FQDN') address.check(dnsSubdomain);
      else if (type.text === 'IPv4' || type.text === 'IPv6') {
        const family = isIP(address.text);
        if (family === 0) address.invalid(ipSentence);
        else if (family !== (type.text === 'IPv4' ? 4 : 6)) address.invalid(`must be an ${type.text} address`);
      }
    }
  }
  const names = new Set<string>();
  for (const port of slice.at('ports').items()) {
    const name = port.at('name');
    if (name.text !== '') name.check(dnsLabel);
    if (names.has(name.text)) name.duplicate();
    names.add(name.text);
    port.at('protocol').oneOf(['SCTP', 'TCP', 'UDP']);
  }
}
