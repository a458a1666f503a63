import { isDeepStrictEqual } from 'node:util';
import { type Controller, defineController, done, on } from '@flotilla/kube';
import { type ClusterRole, clusterRoles } from '@flotilla/kube/kinds';
import { aggregatedRules } from '../authz/index.ts';
import type { ControllerContext } from './context.ts';

const fieldManager = 'clusterrole-aggregation-controller';

/** Gives cluster roles that aggregate others the rules of those. */
export function clusterRoleAggregation({ informers }: ControllerContext): Controller {
  const roles = informers.resource(clusterRoles);
  const aggregating = (): string[] =>
    roles.list().flatMap(({ aggregationRule, metadata }) => (aggregationRule && metadata?.name ? [metadata.name] : []));
  return defineController({
    name: 'clusterrole-aggregation',
    // Any role may be one that another aggregates, or was until now.
    watches: [on(roles), on(roles, aggregating)],
    async reconcile(name) {
      const role = roles.get(name);
      const rules = role && aggregatedRules(role, roles.list());
      if (!rules || isDeepStrictEqual(rules, role.rules ?? [])) return done;
      const applied: ClusterRole = { metadata: { name }, rules: [...rules] as ClusterRole['rules'] };
      await roles.apply(applied, { fieldManager, force: true });
      return done;
    },
  });
}
