import { after, type Controller, defineController, done, on } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import type { ControllerContext } from './context.ts';

/** Deletes bootstrap tokens when they expire. */
export function bootstrapTokenCleaning({ informers, clock }: ControllerContext): Controller {
  const tokens = informers.resource(secrets, {
    namespace: 'kube-system',
    fieldSelector: 'type=bootstrap.kubernetes.io/token',
  });
  return defineController({
    name: 'bootstrap-token-cleaner',
    watches: [on(tokens)],
    async reconcile(key) {
      const token = tokens.get(key);
      const expiration = token?.data?.expiration;
      const expiry = expiration ? parseTime(Buffer.from(expiration, 'base64').toString('utf8')) : undefined;
      if (!token || expiry === undefined) return done;
      const waitMs = expiry - clock.now();
      if (waitMs > 0) return after(waitMs, 'the token expires then');
      const { uid } = token.metadata ?? {};
      await tokens.delete(key, uid === undefined ? {} : { preconditions: { uid } });
      return done;
    },
  });
}
