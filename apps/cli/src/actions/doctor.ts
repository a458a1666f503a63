import { AppLabelValue, managedClusters } from '@flotilla/api-types';
import { listKlusterlets } from '@flotilla/install';
import { ifServed } from '../cluster/served.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { type Check, type Finding, runChecks } from '../doctor/check.ts';
import { clusterChecks } from '../doctor/cluster-checks.ts';
import { hubChecks } from '../doctor/hub-checks.ts';
import { CliError } from '../errors/cli-error.ts';
import { hasOperator } from '../operator/remove-operator.ts';
import { formatResult } from '../output/result.ts';

/** The flags of `doctor`. */
export interface DoctorOptions {
  readonly output: string;
}

/** What is checked. */
export type DoctorSubject = 'hub' | 'cluster' | undefined;

/** Checks a hub or a managed cluster, or both if it is both, and says what to do. */
export async function doctor(
  context: CliContext,
  subject: DoctorSubject,
  options: DoctorOptions & GlobalOptions,
): Promise<void> {
  await using connection = await context.connector.toCluster(options);
  const { client } = connection;
  const joined = await listKlusterlets(client);
  const isHub =
    (await ifServed(() => client.resource(managedClusters).list(), undefined)) !== undefined ||
    (await hasOperator(client, AppLabelValue.ClusterManager));
  const checks: Check[] = [
    ...(subject === 'hub' || (subject === undefined && isHub) ? await hubChecks(context, connection) : []),
    ...(subject === 'cluster' || (subject === undefined && joined.length > 0)
      ? await clusterChecks(context, connection, joined)
      : []),
  ];
  if (checks.length === 0) {
    throw new CliError(
      'precondition',
      'this cluster is neither a hub nor joined to one',
      `Make it one by \`${context.program} init\` or \`${context.program} join\`, or choose another by --kubeconfig or --context.`,
    );
  }
  const findings = await runChecks(checks, context.signal);
  const names = findings.filter(({ state }) => state !== 'ok').map(({ check }) => check);
  context.out.write(formatResult(options.output, { text: formatFindings(findings), value: findings, names }));
  const wrong = findings.filter(({ state }) => state === 'failed').length;
  if (wrong === 0) return;
  throw new CliError(
    'failed',
    `${wrong} of ${findings.length} checks failed`,
    'Do what the arrow below each of them says, the first one first.',
  );
}

const marks = { ok: 'ok', warning: 'WARNING', failed: 'FAILED' } as const;

const formatFindings = (findings: readonly Finding[]): string =>
  findings
    .map(({ check, state, message, fix }) => {
      const line = `${marks[state].padEnd(8)} ${check}: ${message}\n`;
      return fix === undefined ? line : `${line}         → ${fix}\n`;
    })
    .join('');
