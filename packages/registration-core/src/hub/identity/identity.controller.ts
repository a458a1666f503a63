import { ManagedClusterCondition } from '@flotilla/api-types';
import { applyConditions, type Controller, defineController, done, isDeleting, on } from '@flotilla/kube';
import { sharedIdentityAnnotation } from '../../contract/index.ts';
import { conditionOf, when } from '../changes.ts';
import type { HubDeps } from '../deps.ts';
import { holderOf, identitiesOf, sharersOf } from './identity.policy.ts';
import { identityStatus } from './identity.status.ts';

/** Says on a cluster that another one holds its identity. Whether such a cluster is accepted is the acceptance controller's job. */
export const identityController = ({ clusters, clock, options }: HubDeps): Controller =>
  defineController({
    name: 'ClusterIdentityController',
    watches: [
      on(
        clusters,
        sharersOf(clusters),
        when(identitiesOf, conditionOf(ManagedClusterCondition.HubAccepted), ({ metadata, spec }) => [
          metadata?.annotations?.[sharedIdentityAnnotation],
          spec?.hubAcceptsClient,
        ]),
      ),
    ],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      if (!cluster || isDeleting(cluster)) return done;
      const policy = options.duplicateIdentity;
      const holder = policy === 'allow' ? undefined : holderOf(clusters, cluster);
      const { written } = await applyConditions(clusters, cluster, identityStatus(cluster, holder, policy), {
        clock,
        observedGeneration: false,
      });
      if (written && holder) log.warn('another cluster holds this identity', { ...holder });
      return done;
    },
  });
