import { type BrokerService, type TokenRequest, tokenRequestCodec } from '@flotilla/cloudevents';
import type { KubeClient } from '@flotilla/kube';
import { serviceAccounts } from '@flotilla/kube/kinds';
import type { ClusterBudgets } from '../budget/cluster-budgets.ts';
import type { Caller } from '../caller.ts';
import { maxDataBytesOf } from '../limits.ts';
import { requireCluster, unsupported } from './bound-object.ts';
import { hubSource, type ServiceDeps } from './feed.ts';

/** TokenRequests: an add-on gets a token of its ServiceAccount. The answer has the uid of the request. */
export function tokenService(
  client: KubeClient,
  budgets: ClusterBudgets,
  { clock }: Pick<ServiceDeps, 'clock'>,
): BrokerService<Caller> {
  const accounts = client.resource(serviceAccounts);
  return {
    dataType: tokenRequestCodec.dataType,
    maxDataBytes: maxDataBytesOf(tokenRequestCodec.dataType),
    list: () => [],
    async handle(event, { action }, caller, reply) {
      if (action !== 'create_request') throw unsupported({ resource: { plural: 'tokenrequests' } }, action);
      const { metadata, spec } = tokenRequestCodec.decode(event);
      requireCluster(event, metadata?.namespace, 'the TokenRequest');
      budgets.of(caller, metadata?.namespace ?? '').take('tokens');
      const key = `${metadata?.namespace}/${metadata?.name}`;
      // Without the uid, which the API server would take for that of the ServiceAccount.
      const answer = await accounts.createSubresource<TokenRequest>('token', key, { spec: withoutNulls(spec) });
      const purpose = { source: hubSource, now: clock.now(), subresource: 'spec', action: 'create_request' } as const;
      reply(tokenRequestCodec.encode({ metadata, spec, ...(answer.status && { status: answer.status }) }, purpose));
    },
  };
}

const withoutNulls = (spec: TokenRequest['spec']): TokenRequest['spec'] =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null));
