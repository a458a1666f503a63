import { csrDriver } from '@flotilla/driver-csr';
import { runCommand } from '@flotilla/kube/process';
import type { Driver } from '@flotilla/registration-core/contract';
import { runController } from './controller.ts';
import { runWebhookServer } from './webhook-server.ts';

/** The auth types of this hub. Another one is another element. */
const drivers: readonly Driver[] = [csrDriver];

await runCommand('flotilla-hub', {
  controller: {
    description: 'Starts the controllers of registration and of works.',
    run: (host) => runController(host, drivers),
  },
  'webhook-server': { description: 'Starts the webhook server of registration and of works.', run: runWebhookServer },
});
