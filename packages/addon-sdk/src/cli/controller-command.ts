import {
  type Command,
  componentNamespace,
  connectKube,
  defineOptions,
  kubeOptions,
  leaderElectionOptions,
  runElected,
  runProcess,
} from '@flotilla/process';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import { runAddons } from '../engine/run-addons.ts';
import { controllerName } from './rbac-manifests.ts';

const options = defineOptions({ ...kubeOptions, ...leaderElectionOptions });

/** Runs the controller of an add-on on its hub. */
export const controllerCommand = (program: string, version: string, addon: AddonDefinition): Command => ({
  description: 'Run the controller of the add-on on the hub',
  run: (host) =>
    runProcess({
      ...{ name: `${program} controller`, prefix: program, version, options, host },
      description: 'Runs the controller of the add-on on the hub.',
      async main(context) {
        const { clock, log, kitMetrics } = context;
        const name = controllerName(addon);
        await using client = connectKube(context, { name: 'hub', env: host.env, fieldManager: name });
        context.authorizeMetricsWith(client);
        const lease = `${await componentNamespace(context.options, { outsidePod: 'default' })}/${name}`;
        await runElected(context, {
          ...{ client, lease },
          run: (signal) => runAddons({ client, addons: [addon], signal, clock, log, metrics: kitMetrics('addon') }),
        });
      },
    }),
});
