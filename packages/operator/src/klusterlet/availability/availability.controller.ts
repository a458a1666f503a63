import { ControllerName, type Klusterlet, KlusterletCondition } from '@flotilla/api-types';
import {
  applyConditions,
  type Controller,
  defineController,
  done,
  findCondition,
  isDeleting,
  on,
  type StoreChange,
} from '@flotilla/kube';
import { deployments } from '@flotilla/kube/kinds';
import { agentNamespace, isSingleton, modeOf } from '../config/mode.ts';
import type { KlusterletDeps } from '../deps.ts';
import { type AgentKind, agentDeploymentName } from '../render/agents.ts';
import { available, desiredDegraded } from './availability.status.ts';

/** Reports whether the agents of klusterlets run. */
export function availabilityController({ klusterlets, local, clock }: KlusterletDeps): Controller {
  return defineController({
    name: ControllerName.KlusterletStatus,
    watches: [on(klusterlets, undefined, concernsAgents), on(local.keeper.changes)],
    reads: [local],
    async reconcile(name) {
      const klusterlet = klusterlets.get(name);
      if (!klusterlet || isDeleting(klusterlet) || !appliedOf(klusterlet)) return done;
      const stateOf = (agent: AgentKind) => {
        const key = `${agentNamespace(klusterlet)}/${agentDeploymentName(name, agent)}`;
        return { key, deployment: local.keeper.get(deployments, key) };
      };
      const isOne = isSingleton(modeOf(klusterlet) ?? 'Default');
      const registration = stateOf(isOne ? 'singleton' : 'registration');
      const work = isOne ? registration : stateOf('work');
      const conditions = [
        available(isOne ? [registration] : [registration, work]),
        desiredDegraded('registration', registration),
        desiredDegraded('work', work),
      ];
      await applyConditions(klusterlets, klusterlet, conditions, { clock });
      return done;
    },
  });
}

const appliedOf = ({ status }: Klusterlet) => findCondition(status?.conditions, KlusterletCondition.Applied);

const concernsAgents = ({ object, previous }: StoreChange<Klusterlet>): boolean =>
  previous === undefined ||
  object.metadata?.generation !== previous.metadata?.generation ||
  appliedOf(object)?.status !== appliedOf(previous)?.status;
