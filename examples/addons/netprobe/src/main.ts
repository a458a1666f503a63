import { createAddonCli } from '@flotilla/addon-sdk';
import { netprobe } from './addon.ts';
import { runProbe } from './agent/run-probe.ts';
import { parseTargets } from './targets.ts';

await createAddonCli({
  addon: netprobe,
  version: '0.0.0',
  agent: {
    async run({ hub, clusterName, clock, log }, signal) {
      if (!hub) throw new Error('--hub-kubeconfig is missing: scores are reported to the hub');
      const targets = parseTargets(process.env.TARGETS ?? '');
      await runProbe({ hub, cluster: clusterName, targets, clock, log, signal });
    },
  },
})();
