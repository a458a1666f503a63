import { CertificateSigningRequestReason } from '@flotilla/api-types';
import { type Controller, defineController, done, on } from '@flotilla/kube';
import { setApproval } from '@flotilla/kube/kinds';
import type { RegistrationCaches } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { isAgentRequest, isUndecided, requestScope, scopeOf } from './agent-request.policy.ts';
import { agentRequestOf, type DeclaredRequest } from './agent-request.ts';
import { isCustomRequest } from './custom-request.policy.ts';

/** Approves the certificate requests of agents. Others are left to an administrator. */
export function approvalController(deps: AddonDeps, { requests }: RegistrationCaches): Controller {
  const { definition, client, clock, caches } = deps;
  return defineController({
    name: 'addon-csr-approving-controller',
    watches: [on(requests, undefined, ({ object }) => scopeOf(object)?.addOn === definition.name)],
    reads: [caches.addons, caches.clusters, caches.offers, ...caches.configs.map(({ cache }) => cache)],
    async reconcile(key, { signal, log }) {
      const cached = requests.get(key);
      const found = cached && (await agentRequestOf(deps, cached, isUndecided, signal));
      if (!found || !(await isApproved(found))) return done;
      const reason = CertificateSigningRequestReason.Approved.AutoApprovedByHubCSRApprovingController;
      const message = 'Auto approving addon agent certificate.';
      await setApproval(client, found.request, { type: 'Approved', reason, message }, { now: clock.now() });
      log.info('the certificate request of an add-on agent is approved');
      return done;
    },
  });
}

async function isApproved({ declaration, ...agentRequest }: DeclaredRequest): Promise<boolean> {
  if (declaration.approve) return declaration.approve(agentRequest);
  const { request, context } = agentRequest;
  const labelled = scopeOf(request);
  if (!labelled) return false;
  const scope = requestScope(labelled, context.cluster);
  return declaration.type === 'kubeClient'
    ? isAgentRequest(request, declaration, scope)
    : isCustomRequest(request, declaration, scope);
}
