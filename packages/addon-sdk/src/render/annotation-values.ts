import { Annotation, type ManagedClusterAddOn } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { isRecord, parseJson } from '@flotilla/schema';

/** The values that an annotation of the add-on gives for its cluster; `{}` without one. */
export function annotationValues({ metadata }: ManagedClusterAddOn): Record<string, unknown> {
  const text = metadata?.annotations?.[Annotation.AddOnValues];
  if (!text) return {};
  let values: unknown;
  try {
    values = parseJson(text);
  } catch {
    values = undefined;
  }
  if (isRecord(values)) return values;
  const key = `${metadata?.namespace}/${metadata?.name}`;
  throw new KubeError(
    'Config',
    `annotation ${Annotation.AddOnValues} of ManagedClusterAddOn ${key} is ${JSON.stringify(text)}`,
    {
      hint: 'It must be a JSON object, such as {"replicas": 2}.',
    },
  );
}
