import type { Representation } from '../contracts/call.ts';
import { notAcceptable, notAcceptableByRouter } from '../errors/api-errors.ts';

const offered = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

const json: Representation = { encoding: 'json', as: 'object' };

/**
 * The first of the accepted media types, in the client's order, that this server can write. Protobuf and CBOR are passed over: clients
 * that prefer them accept JSON as well. A watch is written in JSON only.
 */
export function negotiate(
  accept: string | undefined,
  { isWatch = false, source = 'custom' }: { isWatch?: boolean; source?: 'built-in' | 'custom' } = {},
): Representation {
  if (accept === undefined || accept.trim() === '') return json;
  let known = source === 'custom';
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const encoding = encodingOf(type.toLowerCase());
    if (!encoding) continue;
    known = true;
    const as = asOf(encoding, parameters);
    if (as && isWatch && encoding !== 'json') throw notAcceptable(['application/json;stream=watch']);
    if (as) return { encoding, as };
  }
  throw known ? notAcceptable(offered) : notAcceptableByRouter(offered);
}

function encodingOf(type: string): 'json' | 'yaml' | undefined {
  if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
}

/** `as=Table;g=meta.k8s.io;v=v1` and the like; an unknown value does not match; another range may. */
function asOf(encoding: Representation['encoding'], parameters: readonly string[]): Representation['as'] | undefined {
  const values = new Map(parameters.map((parameter) => splitAt(parameter, '=')));
  const stream = values.get('stream') ?? '';
  if (stream !== '' && (stream !== 'watch' || encoding !== 'json')) return undefined;
  const as = values.get('as');
  if (as === undefined) return 'object';
  if (values.get('g') !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(values.get('v') ?? '')) return undefined;
  if (as === 'Table') return 'table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'metadata' : undefined;
}

const splitAt = (text: string, separator: string): [string, string] => {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};

/** What a request body is written in; undefined for a form that is not understood. */
export function bodyType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
