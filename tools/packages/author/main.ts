import { connectKube, kubeOptions, leaderElectionOptions, runElected, runProcess } from '@flotilla/process';
import { runWidgets } from './controller.ts';

await runProcess({
  name: 'widgets',
  version: '1.0.0',
  options: { ...kubeOptions, ...leaderElectionOptions },
  async main(context) {
    await using client = connectKube(context, { name: 'cluster', fieldManager: 'widgets' });
    const lease = `${context.options.namespace ?? 'default'}/widgets`;
    await runElected(context, { client, lease, run: (signal) => runWidgets(client, signal) });
  },
});
