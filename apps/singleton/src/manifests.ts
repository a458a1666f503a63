import { singletonFiles } from '@flotilla/install/deploy';

/** Where the manifests are. */
export const directory = new URL('../deploy/', import.meta.url);

/** The files of `deploy`. */
export const files = singletonFiles({ image: 'flotilla/singleton:latest' });
