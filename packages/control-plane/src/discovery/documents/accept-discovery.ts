import { notAcceptable } from '../../errors/api-errors.ts';
import { negotiate } from '../../requests/accept.ts';

export type DiscoveryForm = { readonly aggregated: true } | { readonly aggregated: false; encoding: 'json' | 'yaml' };

/** The media type of aggregated discovery, as clients ask for it and as it is answered. */
export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Which of the two forms of discovery the client would rather have. */
export function discoveryForm(accept: string | undefined): DiscoveryForm {
  for (const range of (accept ?? '').split(',')) {
    if (isAggregated(range)) return { aggregated: true };
    const encoding = encodingOf(range);
    if (encoding) return { aggregated: false, encoding };
  }
  return { aggregated: false, encoding: documentEncoding(accept) };
}

/** The encoding of a document that has one form only: neither a table nor metadata of something. */
export function documentEncoding(accept: string | undefined): 'json' | 'yaml' {
  const { encoding, as } = negotiate(accept);
  if (as === 'object') return encoding;
  throw notAcceptable(['application/json', 'application/yaml']);
}

/** The encoding of one media range; undefined for one that another range may do better. */
function encodingOf(range: string): 'json' | 'yaml' | undefined {
  if (range.trim() === '') return undefined;
  try {
    return documentEncoding(range);
  } catch {
    return undefined;
  }
}

function isAggregated(range: string): boolean {
  const [type, ...parameters] = range.split(';').map((part) => part.trim());
  return (
    type === 'application/json' &&
    ['g=apidiscovery.k8s.io', 'v=v2', 'as=APIGroupDiscoveryList'].every((wanted) => parameters.includes(wanted))
  );
}
