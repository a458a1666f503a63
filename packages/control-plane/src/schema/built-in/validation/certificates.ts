import 'reflect-metadata';
import { firstPemBlock } from '@flotilla/schema';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import type { Field } from '../../field.ts';
import { dnsLabel, dnsSubdomain } from '../../names.ts';

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const decisive = ['Approved', 'Denied', 'Failed'];

export function validateSigningRequest(request: Field, old?: Field): void {
  const spec = request.at('spec');
  const message = requestError(spec.at('request').text);
  if (message !== undefined) spec.at('request').invalid(message);
  validateUsages(spec.at('usages'));
  validateSignerName(spec.at('signerName'));
  const expiration = spec.at('expirationSeconds');
  if (expiration.present && expiration.number < 600) {
    expiration.invalid('may not specify a duration less than 600 seconds (10 minutes)');
  }
  validateConditions(request.at('status').at('conditions'));
  if (old) validateUpdate(request, old);
}

/** Why the bytes are not a certificate request in PEM. */
function requestError(encoded: string): string | undefined {
  const text = Buffer.from(encoded, 'base64').toString('latin1');
  const block = firstPemBlock(text);
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    const parsed = new Pkcs10CertificateRequest(Buffer.from(block.body, 'base64'));
    return parsed.rawData.byteLength > 0 ? undefined : 'asn1: syntax error: sequence truncated';
  } catch (error) {
    // The library has words of its own for what Go calls a structure error.
    return `asn1: structure error: ${error instanceof Error ? error.message : error}`;
  }
}

function validateUsages(field: Field): void {
  if (field.list.length === 0) field.required();
  for (const usage of field.items()) if (!usages.includes(usage.text)) usage.notSupported(usages);
  const seen = new Set<string>();
  for (const usage of field.items()) {
    if (seen.has(usage.text)) usage.duplicate();
    seen.add(usage.text);
  }
}

/** `example.com/name`. */
function validateSignerName(name: Field): void {
  if (name.text === 'kubernetes.io/legacy-unknown') {
    name.invalid('the legacy signerName is not allowed via this API version');
    return;
  }
  if (name.text === '') {
    name.required();
    return;
  }
  const segments = name.text.split('/');
  if (segments.length !== 2) {
    name.invalid("must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  const [domain = '', path = ''] = segments;
  const labels = domain.split('.');
  if (labels.length < 2) name.invalid('should be a domain with at least two segments separated by dots', domain);
  for (const label of labels) {
    const messages = dnsLabel(label);
    if (messages.length > 0) name.invalid(`validating label ${JSON.stringify(label)}: ${messages.join(', ')}`, domain);
  }
  for (const label of path.split('.')) {
    const messages = dnsSubdomain(label);
    if (messages.length > 0) name.invalid(`validating label ${JSON.stringify(label)}: ${messages.join(', ')}`, path);
  }
}

function validateConditions(conditions: Field): void {
  const types = new Set<string>();
  for (const condition of conditions.items()) {
    const type = condition.at('type');
    if (type.text === '') type.required();
    const status = condition.at('status');
    const allowed = decisive.includes(type.text) ? ['True'] : ['False', 'True', 'Unknown'];
    if (status.text === '') status.required();
    else if (!allowed.includes(status.text)) status.notSupported(allowed);
    const other = type.text === 'Approved' ? 'Denied' : type.text === 'Denied' ? 'Approved' : undefined;
    if (other !== undefined && types.has(other)) {
      conditions.invalid('Approved and Denied conditions are mutually exclusive', type.text);
    }
    if (types.has(type.text)) type.duplicate();
    types.add(type.text);
  }
}

/** A decision is final. */
function validateUpdate(request: Field, old: Field): void {
  const count = (object: Field, type: string) =>
    object
      .at('status')
      .at('conditions')
      .items()
      .filter((condition) => condition.at('type').text === type).length;
  for (const type of decisive) {
    if (count(request, type) < count(old, type)) {
      request.at('status').at('conditions').forbidden(`updates may not remove a condition of type "${type}"`);
    }
  }
  const before = old.at('status').at('certificate');
  const certificate = request.at('status').at('certificate');
  const pem = Buffer.from(certificate.text, 'base64').toString('utf8');
  if (before.text === '' && certificate.text !== '' && !pem.includes('-----BEGIN CERTIFICATE-----')) {
    certificate.invalid('must contain at least one CERTIFICATE PEM block', '<certificate data>');
  }
  if (before.text !== '' && !certificate.equals(before)) {
    certificate.forbidden('updates may not modify existing certificate content');
  }
}
