import { redacted, redactText } from './redact-text.ts';
import { serializeError } from './serialize-error.ts';

/** Names of fields that hold nothing but a secret, without case, `-` and `_`. `key` is not one: controllers log it. */
const secretNames = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'token',
  'accesstoken',
  'bearertoken',
  'bootstraptoken',
  'idtoken',
  'refreshtoken',
  'password',
  'passwd',
  'clientsecret',
  'secretaccesskey',
  'privatekey',
  'clientkey',
  'clientkeydata',
  'keydata',
]);

/** Deeper values are cut: a log line is not the place for a whole object graph. */
const deepest = 6;

/** Fields fit for the log: secrets redacted by the name of the field and by patterns of text, errors as data. */
export const redactFields = (fields: Record<string, unknown>): Record<string, unknown> => redactObject(fields, 0);

function redactObject(object: object, depth: number): Record<string, unknown> {
  const isSecret = 'kind' in object && object.kind === 'Secret';
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const hide = isSecretField(name, value) || (isSecret && (name === 'data' || name === 'stringData'));
    clean[name] = hide ? redacted : redactValue(value, depth + 1);
  }
  return clean;
}

function isSecretField(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  const plain = name.toLowerCase().replace(/[-_]/g, '');
  // The path of a kubeconfig is useful, its content is a secret.
  if (plain.endsWith('kubeconfig')) return typeof value !== 'string' || value.includes('\n');
  return secretNames.has(plain);
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return serializeError(value);
  if (value instanceof Date) return value;
  if (value instanceof URL) return redactText(value.href);
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  if (depth >= deepest) return '<deeper>';
  if (Array.isArray(value) || value instanceof Set) return [...value].map((item) => redactValue(item, depth + 1));
  if (value instanceof Map) return redactObject(Object.fromEntries(value), depth);
  return redactObject(value, depth);
}
