import { type CachedResource, type Controller, defineController, done, type ObjectKey, on } from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import type { CredentialFiles } from './credential-files.ts';
import { decodeCredentials } from './credential-store.ts';

/** Keeps the files as the Secret is. A Secret that is gone leaves them: the agent gets new credentials, and others go on meanwhile. */
export const exportController = (
  secrets: CachedResource<Secret>,
  secretKey: ObjectKey,
  files: CredentialFiles,
): Controller =>
  defineController({
    name: 'hub-kubeconfig-files',
    watches: [on(secrets)],
    async reconcile(key) {
      const secret = key === secretKey ? secrets.get(key) : undefined;
      if (secret) await files.write(decodeCredentials(secret.data));
      return done;
    },
  });
