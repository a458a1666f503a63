import { createAddonCli } from '@flotilla/addon-sdk';
import { createInformers, runControllers } from '@flotilla/kube';
import { serviceAccountTokens } from './addon.ts';
import { tokenController } from './agent/token.controller.ts';

await createAddonCli({
  addon: serviceAccountTokens,
  version: '0.0.0',
  agent: {
    async run({ hub: client, managed, clusterName, namespace, clock, log }, signal) {
      if (!client) throw new Error('--hub-kubeconfig is missing: tokens are for the hub');
      using hub = createInformers({ client, clock, log });
      await runControllers([tokenController({ hub, clusterName, managed, namespace, clock })], { signal, clock, log });
    },
  },
})();
