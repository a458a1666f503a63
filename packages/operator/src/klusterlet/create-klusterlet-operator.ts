import type { Controller } from '@flotilla/kube';
import { addOnNamespacesController } from './addon-namespaces/addon-namespaces.controller.ts';
import { availabilityController } from './availability/availability.controller.ts';
import { type KlusterletOperatorInput, klusterletDeps } from './deps.ts';
import { hubConnectionController } from './hub-connection/hub-connection.controller.ts';
import { klusterletController } from './klusterlet.controller.ts';

/** The operator of klusterlets: give its controllers to `runControllers`. */
export interface KlusterletOperator {
  readonly controllers: readonly Controller[];
  /** Ends the connections to managed clusters; call it when the controllers have ended. */
  close(): Promise<void>;
}

/** Makes the controllers that install, watch and remove agents. */
export function createKlusterletOperator(input: KlusterletOperatorInput): KlusterletOperator {
  const deps = klusterletDeps(input);
  const connection = hubConnectionController(deps);
  return {
    controllers: [
      klusterletController(deps),
      availabilityController(deps),
      connection,
      addOnNamespacesController(deps),
    ],
    async close() {
      connection[Symbol.dispose]();
      await deps.hosted[Symbol.asyncDispose]();
    },
  };
}
