import { agentFiles } from '@flotilla/install/deploy';

/** Where the manifests are. */
export const directory = new URL('../deploy/', import.meta.url);

/** The files of `deploy`. */
export const files = agentFiles({ image: 'flotilla/agent:latest' });
