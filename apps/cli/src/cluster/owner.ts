import type { Owner } from '@flotilla/install';

/** The command line as an owner of objects: `clean` and `unjoin` remove what has this label and nothing else. */
export const cliOwner: Owner = {
  labels: { 'app.kubernetes.io/managed-by': 'flotilla-cli' },
  fieldManager: 'flotilla-cli',
};
