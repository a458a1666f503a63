import type { ResourceType } from '@flotilla/schema';

/** `group/version`, or the version alone for the core group. */
export const apiVersionOf = (type: Pick<ResourceType, 'group' | 'version'>): string =>
  type.group === '' ? type.version : `${type.group}/${type.version}`;
