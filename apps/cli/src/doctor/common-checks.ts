import type { KubeClient } from '@flotilla/kube';
import type { Condition } from '@flotilla/schema';
import type { CliContext } from '../context.ts';
import { type Check, failed, ok, warning } from './check.ts';

/** More than this makes tokens and leases of one machine wrong on the other. */
const mostSkewMs = 30_000;

/** The API server answers, and has the same time. */
export const serverChecks = (client: KubeClient, { clock }: Pick<CliContext, 'clock'>): Check[] => [
  [
    'API server',
    async () => {
      const { body } = await client.transport.request({ method: 'GET', path: '/version' });
      return ok(`answers, ${JSON.parse(body).gitVersion}`);
    },
  ],
  [
    'clock',
    async () => {
      const { headers } = await client.transport.request({ method: 'GET', path: '/version' });
      const skewMs = headers.date === undefined ? 0 : clock.now() - Date.parse(headers.date);
      if (Math.abs(skewMs) <= mostSkewMs) return ok('this machine and the API server have the same time');
      const seconds = Math.round(Math.abs(skewMs) / 1000);
      const where = skewMs > 0 ? 'ahead of' : 'behind';
      return warning(
        `this machine is ${seconds} s ${where} the API server`,
        'Synchronise the clocks of the machines, for example by chrony: tokens and certificates depend on them.',
      );
    },
  ],
];

/** The conditions of a ClusterManager or Klusterlet: `Degraded` and `Progressing` should be False, all others True. */
export function conditionsOutcome(conditions: readonly Condition[], what: string, operatorRuns: boolean) {
  const isWrong = ({ type, status }: Condition) => status !== (/Degraded$|^Progressing$/.test(type) ? 'False' : 'True');
  const wrong = conditions.filter(isWrong);
  if (conditions.length === 0) return warning(`${what} has no conditions yet`, 'Does its operator run?');
  if (wrong.length === 0) {
    const said = `${conditions.length} conditions are as they should be`;
    if (operatorRuns) return ok(said);
    return warning(`${said}, but they are as old as the last run of its operator`, 'Start the operator first.');
  }
  const says = wrong.map(({ type, status, reason, message }) => `${type} is ${status} (${reason}): ${message}`);
  return failed(says.join('; '), `See all of it: kubectl get ${what} -o yaml`);
}
