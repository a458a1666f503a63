import { type Controller, defineController, done, on } from '@flotilla/kube';
import type { RegistrationCaches } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { isUnsigned, scopeOf } from './agent-request.policy.ts';
import { agentRequestOf } from './agent-request.ts';

/** Signs approved requests of custom signers, where the definition says how. Those of the hub's API are signed by Kubernetes. */
export function signingController(deps: AddonDeps, { requests }: RegistrationCaches): Controller {
  const { definition, caches } = deps;
  return defineController({
    name: 'addon-csr-signing-controller',
    watches: [on(requests, undefined, ({ object }) => scopeOf(object)?.addOn === definition.name)],
    reads: [caches.addons, caches.clusters, caches.offers, ...caches.configs.map(({ cache }) => cache)],
    async reconcile(key, { signal, log }) {
      const cached = requests.get(key);
      const found = cached && (await agentRequestOf(deps, cached, isUnsigned, signal));
      if (found?.declaration.type !== 'customSigner') return done;
      const { declaration, ...agentRequest } = found;
      const { sign, signerName } = declaration;
      if (!sign) return done;
      const certificate = await sign(agentRequest);
      if (!certificate) {
        throw new Error(`signer ${signerName} of add-on ${definition.name} gave no certificate for ${key}`);
      }
      const { uid, resourceVersion } = found.request.metadata ?? {};
      const body = {
        metadata: { uid, resourceVersion },
        status: { certificate: Buffer.from(certificate).toString('base64') },
      };
      await requests.status.patch(key, { type: 'merge', body });
      log.info('the certificate request of an add-on agent is signed');
      return done;
    },
  });
}
