import type { KubeObject } from '@flotilla/api-types';

/** On everything that the command line makes, so that `clean` and `unjoin` take away that and nothing else. */
export const madeByCli = { 'app.kubernetes.io/managed-by': 'flotilla-cli' };

/** Whether the command line made it. */
export const isMadeByCli = ({ metadata }: KubeObject): boolean =>
  Object.entries(madeByCli).every(([key, value]) => metadata?.labels?.[key] === value);

/** An object with the mark. */
export const asMadeByCli = <T extends KubeObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata?.labels, ...madeByCli } },
});

/** An object without the mark. */
export const withoutMark = <T extends KubeObject>(object: T): T => {
  const labels = Object.entries(object.metadata?.labels ?? {}).filter(([key]) => !(key in madeByCli));
  return { ...object, metadata: { ...object.metadata, labels: Object.fromEntries(labels) } };
};
