import type { EmbeddedResource } from '@flotilla/schema';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Its name; empty without one. */
export const nameOf = ({ metadata }: EmbeddedResource): string => textOf(metadata?.name);

/** Its namespace; empty for an object without one. */
export const namespaceOf = ({ metadata }: EmbeddedResource): string => textOf(metadata?.namespace);

/** A manifest for messages: `Deployment default/web`. */
export function describe(manifest: EmbeddedResource): string {
  const namespace = namespaceOf(manifest);
  return `${manifest.kind} ${namespace && `${namespace}/`}${nameOf(manifest)}`;
}
