import { managedClusterAddOns } from '@flotilla/api-types';
import type { Controller } from '@flotilla/kube';
import type { AgentContext, PhaseScope } from '../context.ts';
import type { HubConnection } from '../hub-connection.ts';
import { addonHealthController } from './health.controller.ts';
import { addonRegistrationController } from './registration.controller.ts';

/** What an agent does for the add-ons of its cluster. */
export function addonControllers(context: AgentContext, scope: PhaseScope, connection: HubConnection): Controller[] {
  const addons = connection.hubInformers.resource(managedClusterAddOns, { namespace: context.identity.clusterName });
  return [addonRegistrationController(context, scope, connection, addons), addonHealthController(context, addons)];
}
