import type { KubeError } from '@flotilla/kube';
import { isRecord } from '@flotilla/schema';
import type { Manifest } from '../../manifest.ts';

/** The object with those fields as they are on the cluster that the server refuses to change, by the causes of its refusal. */
export function withRefusedFields(wanted: Manifest, live: Manifest, { details }: KubeError): Manifest {
  let object: Record<string, unknown> = wanted;
  for (const { field } of details?.causes ?? []) {
    // Items of lists are compared as a whole.
    const [path = ''] = (field ?? '').split('[', 1);
    if (path !== '') object = copyField(object, live, path.split('.'));
  }
  return { ...object, metadata: wanted.metadata };
}

function copyField(to: Record<string, unknown>, from: unknown, path: readonly string[]): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const source = isRecord(from) ? from[name] : undefined;
  const target = to[name];
  if (rest.length > 0 && isRecord(target)) return { ...to, [name]: copyField(target, source, rest) };
  return { ...to, [name]: source };
}
